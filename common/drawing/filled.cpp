#include "drawing/filled.h"

#include <algorithm>

namespace drawing {

std::string filled(std::string_view page, std::initializer_list<std::pair<std::string_view, std::string_view>> texts) {
    std::string out;
    for (size_t at; (at = page.find("{{")) != page.npos;) {
        const size_t end = page.find("}}", at);
        const auto* text = std::find_if(texts.begin(), texts.end(), [&](const auto& one) {
            return end != page.npos && one.first == page.substr(at + 2, end - at - 2);
        });
        const bool known = text != texts.end();
        out += page.substr(0, known ? at : at + 2);
        if (known)
            out += text->second;
        page.remove_prefix(known ? end + 2 : at + 2);
    }
    return out.append(page);
}

} // namespace drawing
