#include "launch/own_lines.h"

#include <fmt/format.h>

namespace launch {

namespace {

/// Walks through the text line by line, and knows whether it is inside a comment, a string or a statement.
class Walk {
  public:
    /// Does an instruction, or its label or its guard, begin with this line?
    bool begins_instruction(std::string_view line) {
        const size_t first = line.find_first_not_of(" \t");
        const char c = first == line.npos ? '\0' : line[first];
        const bool begins = depth_ > 0 && ended_ && !comment_ && c != '\0' && c != '.' && c != '{' && c != '}' &&
                            !line.substr(first).starts_with("//") && !line.substr(first).starts_with("/*");
        for (size_t i = 0; i < line.size(); ++i)
            if (!take(line.substr(i)))
                break;
        return begins;
    }

  private:
    // False: the rest of the line is a comment.
    bool take(std::string_view rest) {
        if (comment_) {
            comment_ = !rest.starts_with("*/");
            return true;
        }
        if (rest.starts_with("//"))
            return false;
        comment_ = rest.starts_with("/*");
        const char c = rest[0];
        depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (c != ' ' && c != '\t' && c != '\r' && !comment_)
            ended_ = c == ';' || c == '{' || c == '}' || c == ':';
        return true;
    }

    int depth_ = 0;
    bool ended_ = true, comment_ = false;
};

} // namespace

std::string with_own_lines(std::string_view ptx, std::string_view file) {
    if (ptx.find("\t.loc") != ptx.npos || ptx.find("\n.loc") != ptx.npos || ptx.find(" .loc") != ptx.npos)
        return std::string(ptx);
    constexpr uint32_t own = 99'999; // a number that no .file has
    std::string text;
    Walk walk;
    uint32_t number = 0;
    for (size_t at = 0; at < ptx.size(); ++number) {
        const size_t end = std::min(ptx.find('\n', at), ptx.size());
        const std::string_view line = ptx.substr(at, end - at);
        if (walk.begins_instruction(line))
            text += fmt::format(".loc {} {} 1 ", own, number + 1);
        text += line;
        text += '\n';
        at = end + 1;
    }
    return text + fmt::format(".file {} \"{}\"\n", own, file);
}

} // namespace launch
