# cmake -DINPUT=file -DOUTPUT=file.cpp -DSYMBOL=ns::name -P EmbedText.cmake
#
# Writes a C++ source that defines `extern const std::string_view SYMBOL` with the bytes of INPUT.
file(READ "${INPUT}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," array "${hex}")
string(REGEX REPLACE "^(.*)::[^:]*$" "\\1" scope "${SYMBOL}")
string(REGEX REPLACE "^.*::" "" name "${SYMBOL}")
file(WRITE "${OUTPUT}" "#include <string_view>
namespace ${scope} {
namespace {
constexpr unsigned char kBytes[] = {
${array}
};
}
extern const std::string_view ${name};
const std::string_view ${name}{reinterpret_cast<const char*>(kBytes), ${size}};
}  // namespace ${scope}
")
