#include "warm/headers.h"

#include <regex>

namespace warm {
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

} // namespace

Parts split(std::string_view source, std::string_view given) {
    static const std::regex include(R"(^#[ \t]*include[ \t]*(<[\w./+-]+>|"lab\.h")[ \t\r]*(//[^\n\\]*)?$)");
    static const std::regex once(R"(^#[ \t]*pragma[ \t]+once[ \t\r]*$)");
    Parts parts{{}, std::string(source)};
    for (size_t at = skip(source, 0); at < source.size(); at = skip(source, at)) {
        const size_t end = std::min(source.find('\n', at), source.size());
        if (!given.empty() && parts.headers == given)
            break;
        const std::string line(source.substr(at, end - at));
        std::smatch match;
        if (std::regex_match(line, match, include))
            parts.headers += "#include " + match[1].str() + "\n";
        else if (!std::regex_match(line, once))
            break;
        std::fill_n(parts.rest.begin() + static_cast<std::ptrdiff_t>(at), end - at, ' ');
        at = end;
    }
    return parts;
}

} // namespace warm
