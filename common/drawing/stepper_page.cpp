#include "drawing/stepper_page.h"

#include "drawing/escape.h"
#include "stepper_files.inc"

namespace drawing {

namespace {

void replace(std::string& text, std::string_view what, std::string_view with) {
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
        text.replace(at, what.size(), with);
}

} // namespace

std::string stepper_page(std::string_view title, std::string_view language, std::string_view recording) {
    std::string page(stepper_page_html), json(recording);
    replace(json, "</", "<\\/"); // would end the script
    replace(json, "<!--", "<\\u0021--");
    // The recording comes last: it is the reader's own text, in which nothing is to be replaced.
    replace(page, "{{title}}", escape(title));
    replace(page, "{{language}}", language.empty() ? "en" : language);
    const size_t at = page.find("{{recording}}");
    return page.replace(at, 13, json);
}

} // namespace drawing
