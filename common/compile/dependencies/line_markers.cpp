#include "compile/dependencies/line_markers.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace compile {
namespace {

bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

// The name between the quotes, and what stands behind it. `text` begins behind the opening quote.
std::optional<std::string> quoted_name(std::string_view& text) {
    std::string name;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            text.remove_prefix(i + 1);
            return name;
        }
        if (text[i] != '\\' || i + 1 == text.size()) {
            name += text[i];
        } else if (i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) && is_octal(text[i + 3])) {
            name += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
            i += 3;
        } else {
            name += text[++i];
        }
    }
    return {};
}

std::optional<LineMarker> marker_in(std::string_view line) {
    if (!line.starts_with("# ") || line.size() < 3 || !std::isdigit(static_cast<unsigned char>(line[2])))
        return {};
    const size_t quote = line.find_first_not_of("0123456789", 2);
    if (quote == line.npos || line.substr(quote, 2) != " \"")
        return {};
    line.remove_prefix(quote + 2);
    const auto name = quoted_name(line);
    if (!name || name->empty() || name->starts_with('<') || name->ends_with('/'))
        return {};
    return LineMarker{*name, line.find('1') != line.npos};
}

} // namespace

std::vector<LineMarker> line_markers(std::string_view preprocessed) {
    std::vector<LineMarker> markers;
    for (size_t at = 0; at < preprocessed.size();) {
        const size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
        if (preprocessed[at] == '#')
            if (auto marker = marker_in(preprocessed.substr(at, end - at)))
                markers.push_back(std::move(*marker));
        at = end + 1;
    }
    return markers;
}

} // namespace compile
