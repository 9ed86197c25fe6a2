#include "base/hash.h"

#include <cstdint>

#include <fmt/format.h>

namespace base {

Hash& Hash::add(std::string_view text) {
    constexpr Wide prime = (Wide{1} << 88) + 0x13b;
    for (const unsigned char c : text)
        state_ = (state_ ^ c) * prime;
    state_ = (state_ ^ 0x100) * prime; // texts end: "ab", "c" is not "a", "bc"
    return *this;
}

std::string Hash::text() const {
    return fmt::format("{:016x}{:016x}", static_cast<uint64_t>(state_ >> 64), static_cast<uint64_t>(state_));
}

} // namespace base
