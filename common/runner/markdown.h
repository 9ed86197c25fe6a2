// The little Markdown that hints, tasks and questions are written in.
#pragma once

#include <string>
#include <string_view>

namespace runner {

/// The text below "## heading", up to the next such heading; empty when there is none.
std::string section(std::string_view markdown, std::string_view heading);

/// Markdown for a terminal: paragraphs and lists broken at `width` (0: not broken), code unchanged, all indented.
std::string rendered(std::string_view markdown, std::string_view indent, size_t width);

} // namespace runner
