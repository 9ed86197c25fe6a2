// Text of students, made harmless for where it goes.
#pragma once

#include <string>
#include <string_view>

namespace grader {

/// A field of a CSV file; what a spreadsheet would take for a formula is quoted with an apostrophe.
std::string csv_field(std::string_view text);
/// A comma between fields, a line end behind them.
template <class Fields>
std::string csv_line(const Fields& fields) {
    std::string line;
    for (const auto& field : fields)
        line += (line.empty() && &field == &*std::begin(fields) ? "" : ",") + csv_field(field);
    return line + "\r\n";
}
/// For HTML and XML, in text and in attributes; what XML 1.0 forbids becomes U+FFFD.
std::string markup(std::string_view text);
/// For Markdown that GitHub shows: no markup, no links, no mentions.
std::string markdown(std::string_view text);
/// For terminals and logs: no escape sequences, no line that GitHub takes for a command.
std::string plain(std::string_view text);
/// A file name: letters and digits of any script, dots, dashes and underscores, never empty, hidden or longer than 100
/// bytes.
std::string file_name(std::string_view text);
/// Points as people write them: 7, 7.5, 6.333333.
std::string number(double value);

} // namespace grader
