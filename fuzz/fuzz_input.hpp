// What all fuzz targets share: a refusal is fine, unless it claims a fault of ours.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/byte_source.hpp"
#include "base/error.hpp"

namespace cuzk::fuzz {

// Runs a parser over the bytes. Anything but Error escapes, which the fuzzer reports.
template <class Parse>
int run(const std::uint8_t* data, std::size_t size, const Parse& parse) {
    const ByteSource source = ByteSource::borrow("input", {data, size});
    try {
        parse(source);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::kInternal) std::abort();
    }
    return 0;
}

}  // namespace cuzk::fuzz
