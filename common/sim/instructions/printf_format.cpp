#include "sim/instructions/printf_format.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace sim::instructions {
namespace {

bool one_of(std::string_view list, char c) {
    return list.find(c) != std::string_view::npos;
}

/// Digits from format[at] on.
int number(std::string_view format, size_t& at) {
    int value = 0;
    for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at)
        value = std::min(10 * value + (format[at] - '0'), PrintfConversion::widest);
    return value;
}

PrintfConversion::Size size_at(std::string_view format, size_t& at) {
    using Size = PrintfConversion::Size;
    const std::string_view rest = format.substr(at);
    const size_t length = rest.starts_with("hh") || rest.starts_with("ll") ? 2 : 1;
    if (rest.empty() || !one_of("hlLjzt", rest[0]))
        return Size::int_;
    at += length;
    return rest[0] != 'h' ? Size::long_ : length == 2 ? Size::char_ : Size::short_;
}

template <class... T>
std::string print(const std::string& format, T... values) {
    const int length = std::snprintf(nullptr, 0, format.c_str(), values...);
    std::string text(size_t(std::max(length, 0)) + 1, '\0');
    std::snprintf(text.data(), text.size(), format.c_str(), values...);
    text.pop_back();
    return text;
}

long long signed_value(PrintfConversion::Size size, uint64_t bits) {
    using Size = PrintfConversion::Size;
    return size == Size::long_    ? int64_t(bits)
           : size == Size::short_ ? int16_t(bits)
           : size == Size::char_  ? int8_t(bits)
                                  : int32_t(bits);
}

unsigned long long unsigned_value(PrintfConversion::Size size, uint64_t bits) {
    using Size = PrintfConversion::Size;
    return size == Size::long_    ? bits
           : size == Size::short_ ? uint16_t(bits)
           : size == Size::char_  ? uint8_t(bits)
                                  : uint32_t(bits);
}

} // namespace

bool PrintfConversion::floating() const {
    return one_of("eEfFgGaA", type);
}

uint32_t PrintfConversion::bytes() const {
    return floating() || type == 's' || type == 'p' || (size == Size::long_ && type != 'c') ? 8 : 4;
}

std::optional<PrintfConversion> conversion_at(std::string_view format, size_t at) {
    PrintfConversion result;
    for (++at; at < format.size() && one_of("#0- +", format[at]); ++at)
        if (!one_of(result.flags, format[at]))
            result.flags += format[at];
    result.width_is_argument = at < format.size() && format[at] == '*';
    if (result.width_is_argument)
        ++at;
    else
        result.width = number(format, at);
    if (at < format.size() && format[at] == '.') {
        result.precision_is_argument = ++at < format.size() && format[at] == '*';
        if (result.precision_is_argument)
            ++at;
        else
            result.precision = number(format, at);
    }
    result.size = size_at(format, at);
    if (at >= format.size() || !one_of("diouxXcspeEfFgGaA", format[at]))
        return std::nullopt;
    result.type = format[at];
    result.end = at + 1;
    return result;
}

std::string converted(const PrintfConversion& c, uint64_t argument, const std::string& text) {
    // Only what conversion_at() knows reaches snprintf: flags, two bounded numbers, a type with the size we pass.
    const std::string start = "%" + c.flags + "*.*";
    switch (c.type) {
    case 'd':
    case 'i':
        return print(start + "ll" + c.type, c.width, c.precision, signed_value(c.size, argument));
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        return print(start + "ll" + c.type, c.width, c.precision, unsigned_value(c.size, argument));
    case 'c':
        return print("%" + c.flags + "*c", c.width, int(uint8_t(argument)));
    case 's':
        return print(start + "s", c.width, c.precision, text.c_str());
    case 'p':
        return print("%" + c.flags + "*s", c.width, print("%#llx", static_cast<unsigned long long>(argument)).c_str());
    default:
        return print(start + c.type, c.width, c.precision, std::bit_cast<double>(argument));
    }
}

} // namespace sim::instructions
