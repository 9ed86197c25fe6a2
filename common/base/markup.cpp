#include "base/markup.h"

namespace base {
namespace {

std::string opened(std::string_view name, Attributes attributes) {
    std::string text = fmt::format("<{}", name);
    for (const auto& attribute : attributes)
        text += fmt::format(" {}=\"{}\"", attribute.name, markup(attribute.value));
    return text;
}

} // namespace

Markup element(std::string_view name, Attributes attributes, const Markup& content) {
    return Markup::raw(fmt::format("{}>{}</{}>", opened(name, attributes), content.text(), name));
}

Markup empty_element(std::string_view name, Attributes attributes) {
    return Markup::raw(opened(name, attributes) + "/>");
}

} // namespace base
