#include "compile/comments.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace compile {
namespace {

/// Is the ' at `at` part of a number, as in 1'000?
bool separates_digits(std::string_view line, size_t at) {
    size_t begin = at;
    while (begin > 0 && (base::is_word(line[begin - 1]) || line[begin - 1] == '\'' || line[begin - 1] == '.'))
        --begin;
    return begin < at && (std::isdigit(static_cast<unsigned char>(line[begin])) || line[begin] == '.');
}

/// Behind the string or character that begins at `at`, or at the end of the line.
size_t behind_quoted(std::string_view line, size_t at) {
    const char quote = line[at];
    for (++at; at < line.size() && line[at] != quote; ++at)
        at += line[at] == '\\';
    return std::min(at + 1, line.size());
}

/// The line with blanks for its comments. `inside`: a comment is open at its beginning, or at its end.
std::string blank_comments_of_line(std::string_view line, bool& inside) {
    std::string out;
    for (size_t at = 0; at < line.size();) {
        const std::string_view rest = line.substr(at);
        size_t length = 1;
        if (inside) {
            const size_t close = rest.find("*/");
            inside = close == rest.npos;
            length = inside ? rest.size() : close + 2;
            out.append(length, ' ');
        } else if (rest.starts_with("//")) {
            break;
        } else if (rest.starts_with("/*")) {
            inside = true;
            length = 2;
            out.append(length, ' ');
        } else {
            if (rest[0] == '"' || (rest[0] == '\'' && !separates_digits(line, at)))
                length = behind_quoted(line, at) - at;
            out += rest.substr(0, length);
        }
        at += length;
    }
    return out.substr(0, out.find_last_not_of(" \t\r") + 1);
}

} // namespace

std::string blank_comments(std::string_view source) {
    for (const char* unusual : {"R\"", "%:", "??"})
        if (source.find(unusual) != source.npos)
            return std::string(source);
    std::string out;
    bool inside = false, continued = false;
    for (size_t at = 0; at < source.size();) {
        const size_t end = std::min(source.find('\n', at), source.size());
        const std::string_view line = source.substr(at, end - at);
        const bool continues = base::trimmed(line).ends_with('\\');
        const bool directive = line.find('#') != line.npos && (!inside || line.find("*/") != line.npos);
        if (continued || continues || directive) {
            if (inside || line.find("/*") != line.npos)
                return std::string(source);
            out += line;
        } else {
            out += blank_comments_of_line(line, inside);
        }
        continued = continues;
        out += '\n';
        at = end + 1;
    }
    return out;
}

} // namespace compile
