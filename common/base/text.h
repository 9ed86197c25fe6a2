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

/// Does a character of UTF-8 take two columns? East Asian scripts and their punctuation do.
inline bool is_wide(std::string_view character) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(i < character.size() ? character[i] : 0); };
    return (byte(0) >= 0xE3 && byte(0) <= 0xE9) || (byte(0) == 0xEF && (byte(1) == 0xBC || byte(1) == 0xBD));
}

/// The first character of UTF-8.
inline std::string_view first_character(std::string_view text) {
    size_t n = 1;
    while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80)
        ++n;
    return text.substr(0, n);
}

/// How many columns of a terminal the text takes.
inline size_t columns(std::string_view text) {
    size_t n = 0;
    for (; !text.empty(); text.remove_prefix(first_character(text).size()))
        n += is_wide(text) ? 2 : 1;
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

/// The beginning of `text` that stays on one line: up to a blank, or to a character of a script without blanks.
inline std::string_view unbreakable(std::string_view text) {
    constexpr std::string_view closing = "，。、；：！？）】》”’…,.;:!?)", opening = "（【《“‘(";
    size_t n = 0;
    for (std::string_view before; n < text.size() && text[n] != ' ';) {
        const std::string_view character = first_character(text.substr(n));
        if (n && (is_wide(before) || is_wide(character)) && closing.find(character) == closing.npos &&
            opening.find(before) == opening.npos)
            break;
        n += character.size();
        before = character;
    }
    return text.substr(0, n);
}

/// `text` with `indent` before each of its lines, broken so that it is no wider than `width`; 0: not broken.
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
        bool blank = false;
        for (size_t used = columns(margin), first = 1; !line.empty(); first = 0) {
            const std::string_view word = unbreakable(line);
            if (!first && width && used + blank + columns(word) > width) {
                out += "\n" + margin;
                used = columns(margin);
            } else if (blank) {
                out += ' ';
                ++used;
            }
            out += word;
            used += columns(word);
            line.remove_prefix(word.size());
            blank = line.starts_with(' ');
            line.remove_prefix(blank);
        }
        out += '\n';
    }
    return out;
}

} // namespace base
