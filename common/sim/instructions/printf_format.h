// The conversions of a printf format, as CUDA's printf takes them: %[flags][width][.precision][size]type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sim::instructions {

/// "%-8.3f". Whatever is no conversion of CUDA's (positions such as %2$d, %n) is text.
struct PrintfConversion {
    static constexpr int widest = 1000; ///< characters of a width or a precision; larger ones are cut to it
    enum class Size : uint8_t { char_, short_, int_, long_ };

    std::string flags;
    int width = 0, precision = -1; ///< precision -1: none
    bool width_is_argument = false, precision_is_argument = false;
    Size size = Size::int_;
    char type = 0;
    size_t end = 0; ///< where the format goes on

    bool floating() const;
    /// Bytes of the argument, which is aligned to them.
    uint32_t bytes() const;
};

/// The conversion that begins with the '%' at format[at]; nothing: there is none.
std::optional<PrintfConversion> conversion_at(std::string_view format, size_t at);

/// The converted argument. `text`: for %s.
std::string converted(const PrintfConversion&, uint64_t argument, const std::string& text);

} // namespace sim::instructions
