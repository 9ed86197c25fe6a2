// Small questions about text, and breaking paragraphs where a terminal would break words.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace base {

/// May stand in a name of C++.
inline bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Without blanks and line ends on either side.
inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const size_t first = text.find_first_not_of(blank);
    return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// How many columns of a terminal the text takes.
inline size_t columns(std::string_view text) {
    size_t n = 0;
    for (const char c : text)
        n += (static_cast<unsigned char>(c) & 0xC0) != 0x80; // UTF-8
    return n;
}

/// `text` if it is no wider than `width`, else its beginning and "…".
inline std::string shortened(std::string_view text, size_t width) {
    if (columns(text) <= width)
        return std::string(text);
    while (!text.empty() && columns(text) + 3 > width) // "..." where there is no UTF-8
        text.remove_suffix(1);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80)) // nor half a character
        text.remove_suffix(1);
    return std::string(text) + "…";
}

/// `text` with `indent` before each of its lines, broken at blanks so that it is no wider than `width`; 0: not broken.
inline std::string wrapped(std::string_view text, std::string_view indent, size_t width) {
    std::string out;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        // Keep any further indentation.
        const size_t own = std::min(line.find_first_not_of(' '), line.size());
        const std::string margin = std::string(indent) + std::string(line.substr(0, own));
        line.remove_prefix(own);
        out += margin;
        for (size_t used = columns(margin), first = 1; !line.empty(); first = 0) {
            const std::string_view word = line.substr(0, line.find(' '));
            line.remove_prefix(std::min(word.size() + 1, line.size()));
            if (!first && width && used + 1 + columns(word) > width) {
                out += "\n" + margin;
                used = columns(margin);
            } else if (!first) {
                out += ' ';
                ++used;
            }
            out += word;
            used += columns(word);
        }
        out += '\n';
    }
    return out;
}

} // namespace base
