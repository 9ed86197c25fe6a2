// Programs stored as the lines that differ from another one. tests/versions.py describes the notation of the blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

std::vector<std::string_view> lines_of(std::string_view text);

/// `text` with the blocks applied: the lines of a block that begin with a blank or "-" must stand in the text exactly
/// once, after the place of the block before, and those that begin with a blank or "+" replace them. Throws
/// std::runtime_error, which quotes the block that does not fit.
std::string with_changes(std::string_view text, std::string_view blocks);

} // namespace base
