// Reading floating-point numbers from text.
#pragma once

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace base {

/// std::from_chars for a double, which some standard libraries (LLVM's before 20) lack.
inline std::from_chars_result read_double(const char* first, const char* last, double& value) {
#ifdef __cpp_lib_to_chars
    return std::from_chars(first, last, value);
#else
    const std::string_view text(first, size_t(last - first));
    const std::string number(text.substr(0, text.find_first_not_of("0123456789+-.eE")));
    char* end = nullptr;
    const double read = std::strtod(number.c_str(), &end);
    if (end == number.c_str())
        return {first, std::errc::invalid_argument};
    value = read;
    return {first + (end - number.c_str()), std::errc()};
#endif
}

} // namespace base
