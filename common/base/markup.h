// HTML and XML. A text becomes text: only element() makes markup, so a student's words cannot stay unescaped by
// mistake.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/escape.h"

namespace base {

class Markup {
  public:
    Markup() = default;
    Markup(std::string_view text) : text_(markup(text)) {}
    Markup(const std::string& text) : Markup(std::string_view(text)) {}
    Markup(const char* text) : Markup(std::string_view(text)) {}
    /// As it is: of this program alone.
    static Markup raw(std::string markup) {
        Markup made;
        made.text_ = std::move(markup);
        return made;
    }

    Markup& operator+=(const Markup& more) {
        text_ += more.text_;
        return *this;
    }
    friend Markup operator+(Markup left, const Markup& right) { return std::move(left += right); }
    bool empty() const { return text_.empty(); }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

struct Attribute {
    std::string_view name;
    std::string value;
    template <class Value>
    Attribute(std::string_view name, const Value& value) : name(name), value(fmt::format("{}", value)) {}
};
using Attributes = std::initializer_list<Attribute>;

/// <name attribute="value">content</name>
Markup element(std::string_view name, Attributes attributes, const Markup& content);
inline Markup element(std::string_view name, const Markup& content) {
    return element(name, {}, content);
}
/// <name attribute="value"/>
Markup empty_element(std::string_view name, Attributes attributes);

} // namespace base
