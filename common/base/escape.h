// Text of strangers, made harmless for where it goes.
#pragma once

#include <string>
#include <string_view>

namespace base {

/// For HTML and XML, in text and in attributes; what XML 1.0 forbids becomes U+FFFD. See markup.h.
std::string markup(std::string_view text);
/// For Markdown that GitHub shows: no markup, no links, no mentions.
std::string markdown(std::string_view text);
/// For terminals and logs: no escape sequences, no line that GitHub takes for a command.
std::string plain(std::string_view text);
/// A field of a CSV file; text that a spreadsheet would take for a formula is quoted with an apostrophe. See csv.h.
std::string csv_field(std::string_view text);

} // namespace base
