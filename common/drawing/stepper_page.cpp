#include "drawing/stepper_page.h"

#include "drawing/escape.h"
#include "drawing/filled.h"
#include "stepper_page.inc"

namespace drawing {

namespace {

void replace(std::string& text, std::string_view what, std::string_view with) {
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
        text.replace(at, what.size(), with);
}

} // namespace

std::string stepper_page(std::string_view title, std::string_view language, std::string_view recording) {
    std::string json(recording);
    replace(json, "</", "<\\/"); // would end the script
    replace(json, "<!--", "<\\u0021--");
    return filled(stepper_page_html,
                  {{"title", escape(title)}, {"language", language.empty() ? "en" : language}, {"recording", json}});
}

} // namespace drawing
