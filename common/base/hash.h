// Short names for long texts.
#pragma once

#include <string>
#include <string_view>

namespace base {

/// 128-bit FNV-1a of a sequence of texts, as 32 hexadecimal digits.
class Hash {
  public:
    Hash& add(std::string_view text);
    std::string text() const;

  private:
    __extension__ using Wide = unsigned __int128;
    Wide state_ = (Wide{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
};

} // namespace base
