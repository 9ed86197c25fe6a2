#include "grader/result/text.h"

#include <cwchar>

#include <fmt/format.h>
#include <locale.h>
#include <wctype.h>

namespace grader {

std::string file_name(std::string_view text) {
    static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr); // whatever the user's language is
    const locale_t before = unicode ? uselocale(unicode) : nullptr;
    std::string name;
    for (size_t i = 0; i < text.size();) {
        std::mbstate_t state{};
        wchar_t c = 0;
        size_t length = std::mbrtowc(&c, &text[i], text.size() - i, &state);
        if (length == 0 || length > text.size() - i) { // no UTF-8
            length = 1;
            c = 0;
        }
        const bool combines = c >= 0x300 && c < 0x370; // macOS writes ü as u and two dots
        if (name.size() + length > 100)
            break;
        if (std::wcschr(L"-._", c) ? c != 0 : iswalnum(static_cast<wint_t>(c)) || combines)
            name += text.substr(i, length);
        else
            name += '_';
        i += length;
    }
    if (before)
        uselocale(before);
    if (name.empty() || name[0] == '.' || name[0] == '-')
        name.insert(0, "_");
    return name;
}

std::string number(double value) {
    std::string text = fmt::format("{:.6f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text;
}

} // namespace grader
