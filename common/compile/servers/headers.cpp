#include "compile/servers/headers.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace servers {
namespace {

// Behind blanks and comments; `line_start`: nothing but blanks stands before it in its line.
size_t skip(std::string_view s, size_t at) {
    while (at < s.size()) {
        if (s[at] == ' ' || s[at] == '\t' || s[at] == '\r' || s[at] == '\n')
            ++at;
        else if (s.substr(at).starts_with("//"))
            at = std::min(s.find('\n', at), s.size());
        else if (s.substr(at).starts_with("/*"))
            at = s.find("*/", at) == s.npos ? s.size() : s.find("*/", at) + 2;
        else
            break;
    }
    return at;
}

// What `line` includes if that is all it does: "<name>", or "\"lab.h\"". Empty: it does something else.
std::string_view header_in(std::string_view line) {
    constexpr std::string_view blank = " \t";
    const auto behind = [&](std::string_view text) { // behind blanks
        return text.substr(std::min(text.find_first_not_of(blank), text.size()));
    };
    constexpr std::string_view word = "include", own = "\"lab.h\"";
    std::string_view rest = behind(line.substr(1));
    if (!line.starts_with('#') || !rest.starts_with(word))
        return {};
    rest = behind(rest.substr(word.size()));
    const size_t close = rest.starts_with('<') ? rest.find('>') : rest.starts_with(own) ? own.size() - 1 : rest.npos;
    if (close == rest.npos || close < 2)
        return {};
    const std::string_view name = rest.substr(0, close + 1), tail = base::trimmed(rest.substr(close + 1));
    const bool plain = std::ranges::all_of(name.substr(1, close - 1), [](char c) {
        return base::is_word(c) || c == '.' || c == '/' || c == '+' || c == '-';
    });
    const bool ends = tail.empty() || (tail.starts_with("//") && tail.find('\\') == tail.npos);
    return plain && ends ? name : std::string_view();
}

bool is_pragma_once(std::string_view line) {
    std::string words;
    for (const char c : line)
        if (!std::isspace(static_cast<unsigned char>(c)))
            words += c;
        else if (words.size() > 1 && words.back() != ' ')
            words += ' ';
    return base::trimmed(words) == "#pragma once";
}

} // namespace

Parts split(std::string_view source, std::string_view given) {
    Parts parts{{}, std::string(source)};
    for (size_t at = skip(source, 0); at < source.size(); at = skip(source, at)) {
        const size_t end = std::min(source.find('\n', at), source.size());
        if (!given.empty() && parts.headers == given)
            break;
        const std::string_view line = source.substr(at, end - at);
        if (const auto header = header_in(line); !header.empty())
            parts.headers.append("#include ").append(header).append("\n");
        else if (!is_pragma_once(line))
            break;
        std::fill_n(parts.rest.begin() + static_cast<std::ptrdiff_t>(at), end - at, ' ');
        at = end;
    }
    return parts;
}

} // namespace servers
