// The one exception type of the project. docs/errors.md states when it is thrown and how it ends a command.
#pragma once

#include <stdexcept>
#include <string>

namespace cuzk {

enum class ErrorKind {
    kUnsatisfied,  // a proof is invalid, or a witness breaks a constraint (exit code 1)
    kUsage,        // the caller asked for something that makes no sense (2)
    kMalformed,    // foreign bytes break their format (3)
    kUnsupported,  // well-formed, but of a kind this build does not handle (3)
    kEnvironment,  // memory, device, disk, permissions (4)
    kInternal,     // our own bug (70)
};

// Thread-safe to copy and rethrow. The message is a whole sentence fragment a person can act on:
// "circuit.zkey: section 5 (A query): point 17 at offset 0x1f40 is not on the curve".
class Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    ErrorKind kind() const noexcept { return kind_; }

private:
    ErrorKind kind_;
};

// Process exit code of an error kind.
constexpr int exit_code(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::kUnsatisfied: return 1;
        case ErrorKind::kUsage: return 2;
        case ErrorKind::kMalformed:
        case ErrorKind::kUnsupported: return 3;
        case ErrorKind::kEnvironment: return 4;
        case ErrorKind::kInternal: break;
    }
    return 70;
}

}  // namespace cuzk
