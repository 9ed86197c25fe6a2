// A description to begin with, for PTX that has none yet.
#pragma once

#include <string>
#include <string_view>

namespace launch {

/// TOML for the first kernel of the PTX; its buffers and numbers are guesses. Throws sim::ptx::ParseError.
std::string skeleton(std::string_view ptx);

} // namespace launch
