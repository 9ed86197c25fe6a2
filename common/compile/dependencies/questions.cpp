#include "compile/dependencies/questions.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace compile {
namespace {

// A line that ends with a backslash goes on in the next one.
std::string joined_lines(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i)
        if (text.substr(i).starts_with("\\\n"))
            ++i;
        else if (text.substr(i).starts_with("\\\r\n"))
            i += 2;
        else
            out += text[i];
    return out;
}

size_t behind_blanks(std::string_view text, size_t at) {
    return std::min(text.find_first_not_of(" \t", at), text.size());
}

bool begins_directive(std::string_view text, size_t at, std::string_view word) {
    at = behind_blanks(text, at + 1);
    return text.substr(at).starts_with(word) &&
           (at + word.size() == text.size() || !base::is_word(text[at + word.size()]));
}

} // namespace

Questions questions(std::string_view source) {
    Questions found;
    std::string text = joined_lines(source);
    found.unknown = text.find("incbin") != text.npos || text.find("__has_embed") != text.npos;
    for (size_t at = 0; (at = text.find('#', at)) != text.npos; ++at)
        found.unknown = found.unknown || begins_directive(text, at, "embed");
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view asks = "has_include";
    for (size_t at = 0; (at = lower.find(asks, at)) != lower.npos;) {
        at += asks.size();
        while (at < text.size() && base::is_word(text[at])) // __has_include_next
            ++at;
        size_t open = behind_blanks(text, at);
        if (open == text.size() || text[open] != '(')
            continue; // only whether there is such a macro
        open = behind_blanks(text, open + 1);
        const char quote = open == text.size() ? ' ' : text[open] == '<' ? '>' : text[open] == '"' ? '"' : ' ';
        const size_t close = quote == ' ' ? text.npos : text.find_first_of(std::string("\n") + quote, open + 1);
        if (close == text.npos || text[close] == '\n')
            found.unknown = true;
        else
            found.headers.insert(text.substr(open + 1, close - open - 1));
    }
    return found;
}

bool mentions_headers(std::string_view text) {
    return text.find("has_include") != text.npos || text.find("HAS_INCLUDE") != text.npos;
}

} // namespace compile
