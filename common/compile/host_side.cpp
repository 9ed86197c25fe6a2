#include "compile/host_side.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"

namespace compile {
namespace {

using base::is_word;

// Comments become a space and the newlines in them; raw strings are not understood (see side_of).
std::string without_comments(std::string_view s) {
    std::string out;
    for (size_t i = 0; i < s.size(); ++i) {
        if (s[i] == '/' && i + 1 < s.size() && s[i + 1] == '/') {
            while (i < s.size() && s[i] != '\n')
                ++i;
            out += '\n';
        } else if (s[i] == '/' && i + 1 < s.size() && s[i + 1] == '*') {
            const size_t end = std::min(s.find("*/", i + 2), s.size());
            out += ' ';
            out.append(static_cast<size_t>(std::count(s.begin() + i, s.begin() + end, '\n')), '\n');
            i = end + 1;
        } else if (s[i] == '"' || (s[i] == '\'' && !(i && std::isxdigit(static_cast<unsigned char>(s[i - 1]))))) {
            const char quote = s[i];
            out += s[i++];
            while (i < s.size() && s[i] != quote && s[i] != '\n') {
                if (s[i] == '\\' && i + 1 < s.size())
                    out += s[i++];
                out += s[i++];
            }
            if (i < s.size())
                out += s[i];
        } else {
            out += s[i];
        }
    }
    return out;
}

bool has_word(std::string_view text, std::string_view word) {
    for (size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at)
        if ((at == 0 || !is_word(text[at - 1])) &&
            (at + word.size() == text.size() || !is_word(text[at + word.size()])))
            return true;
    return false;
}

/// Where brackets end, in linear time however many there are and whether or not they are closed. Strings are skipped.
class Brackets {
  public:
    explicit Brackets(std::string_view text) : text_(text) {}

    /// Index behind the bracket that closes the one at `open`; npos if there is none.
    size_t behind(size_t open) {
        if (open >= unclosed_)
            return behind_[open];
        scan(open);
        if (behind_[open] == std::string_view::npos)
            unclosed_ = open; // the scan went to the end: it has seen all further brackets
        return behind_[open];
    }

  private:
    void scan(size_t begin) {
        behind_.resize(text_.size(), std::string_view::npos);
        std::vector<size_t> open;
        for (size_t i = begin; i < text_.size(); ++i) {
            const char c = text_[i];
            if (c == '"' || c == '\'') {
                i = behind_string(i);
            } else if (c == '(' || c == '{' || c == '[') {
                open.push_back(i);
            } else if (c == ')' || c == '}' || c == ']') {
                behind_[open.back()] = i + 1;
                open.pop_back();
                if (open.empty())
                    return;
            }
        }
    }

    // Index of the quote that ends it.
    size_t behind_string(size_t i) const {
        const char quote = text_[i];
        if (quote == '\'' && i && std::isxdigit(static_cast<unsigned char>(text_[i - 1])))
            return i; // 1'000
        for (++i; i < text_.size() && text_[i] != quote; ++i)
            if (text_[i] == '\\')
                ++i;
        return i;
    }

    std::string_view text_;
    std::vector<size_t> behind_;
    size_t unclosed_ = std::string_view::npos; ///< from here on everything is known
};

// Behind `template <…>`, whose `class T` makes no class.
std::string_view without_template(std::string_view head) {
    while (true) {
        const size_t open = head.find('<');
        if (open == std::string_view::npos || head.substr(0, open).find("template") == std::string_view::npos)
            return head;
        size_t depth = 0, end = open;
        for (; end < head.size(); ++end) {
            depth += head[end] == '<';
            if (head[end] == '>' && --depth == 0)
                break;
        }
        if (end == head.size())
            return head;
        head.remove_prefix(end + 1);
    }
}

bool is_device_function(std::string_view declaration) {
    const std::string_view head = without_template(declaration);
    return (has_word(head, "__global__") || has_word(head, "__device__")) && !has_word(head, "__host__") &&
           !has_word(head, "constexpr") && !has_word(head, "auto") && head.find('(') != std::string_view::npos &&
           !has_word(head, "struct") && !has_word(head, "class") && !has_word(head, "namespace");
}

// Pragmas (unroll, nv_diag_suppress) are about the body alone.
bool has_directives(std::string_view body) {
    for (size_t at = 0; (at = body.find('#', at)) != std::string_view::npos; ++at)
        if (!body.substr(at).starts_with("#pragma"))
            return true;
    return false;
}

bool body_stays(std::string_view body) {
    return has_directives(body) || has_word(body, "__device__") || has_word(body, "__constant__") ||
           has_word(body, "__managed__") || has_word(body, "__host__");
}

/// The positions in `s`, which has no comments, that are outside the bodies that the host does not need.
std::vector<size_t> without_bodies(std::string_view s) {
    std::vector<size_t> kept;
    const auto keep = [&](size_t begin, size_t end) {
        for (; begin < end; ++begin)
            kept.push_back(begin);
    };
    Brackets brackets(s);
    size_t head = 0; // where the declaration began that we are in
    for (size_t i = 0; i < s.size();) {
        const size_t begin = i;
        if (s[i] == '{') {
            const bool device = is_device_function(s.substr(head, i - head));
            if (const size_t end = device ? brackets.behind(i) : s.npos; end != s.npos) {
                if (body_stays(s.substr(i, end - i)))
                    keep(i, end);
                else
                    kept.insert(kept.end(), {i, end - 1});
                i = head = end;
                continue;
            }
            head = ++i;
        } else if (s[i] == '(') { // parameters with defaults, attributes
            i = std::min(brackets.behind(i), s.size());
        } else if (s[i] == '"') { // asm or extern "C"
            const size_t end = s.find_first_of("\"\n", i + 1);
            i = end == std::string::npos ? s.size() : end + 1;
        } else if (s[i] == '#') { // the line does not belong to a declaration
            head = i = std::min(s.find('\n', i), s.size());
        } else if (s[i++] == ';' || s[begin] == '}') {
            head = i;
        }
        keep(begin, i);
    }
    return kept;
}

struct Side {
    std::string text;
    std::vector<uint32_t> lines; ///< in the source, of each character
};

Side side_of(std::string_view source) {
    const bool understood = source.find("R\"") == std::string_view::npos; // raw strings are too clever for us
    const std::string s = understood ? without_comments(source) : std::string(source);
    std::vector<uint32_t> lines(s.size());
    uint32_t line = 1;
    for (size_t i = 0; i < s.size(); line += s[i++] == '\n')
        lines[i] = line;
    if (!understood)
        return {s, lines};
    // Blank lines and trailing blanks do not count.
    Side side;
    for (const size_t at : without_bodies(s)) {
        const char c = s[at];
        const bool blank = std::isspace(static_cast<unsigned char>(c));
        if (blank && (side.text.empty() || side.text.back() == '\n' || side.text.back() == ' ')) {
            if (c == '\n' && !side.text.empty())
                side.text.back() = '\n';
            continue;
        }
        side.text += blank ? (c == '\n' ? '\n' : ' ') : c;
        side.lines.push_back(lines[at]);
    }
    return side;
}

} // namespace

std::string host_side(std::string_view source) {
    return side_of(source).text;
}

std::string host_text(std::string_view source) {
    std::string side = host_side(source);
    for (const std::string_view word : {"__LINE__", "assert", "source_location"})
        if (has_word(side, word))
            return std::string(source);
    return side;
}

uint32_t line_in(std::string_view source, std::string_view other, uint32_t line) {
    const Side from = side_of(other), to = side_of(source);
    if (from.text != to.text)
        return 0;
    for (size_t i = 0; i < from.lines.size(); ++i)
        if (from.lines[i] == line && !std::isspace(static_cast<unsigned char>(from.text[i])))
            return to.lines[i];
    return 0;
}

std::string ptx_interface(std::string_view ptx) {
    std::string out;
    for (size_t at = 0; at < ptx.size();) {
        const size_t end = std::min(ptx.find('\n', at), ptx.size());
        std::string_view line = ptx.substr(at, end - at);
        at = end + 1;
        const bool entry = line.find(".entry ") != std::string_view::npos;
        const bool variable = line.starts_with(".visible .global") || line.starts_with(".visible .const") ||
                              line.starts_with(".global") || line.starts_with(".const");
        if (entry) {
            const size_t close = std::min(ptx.find(')', end), ptx.size());
            out.append(line);
            if (line.find(')') == std::string_view::npos) {
                out.append(ptx.substr(end, close - end));
                at = close;
            }
            out += '\n';
        } else if (variable) {
            line = line.substr(0, line.find('='));
            if (line.find(" $") == std::string_view::npos)
                out.append(line).append("\n");
        }
    }
    return out;
}

} // namespace compile
