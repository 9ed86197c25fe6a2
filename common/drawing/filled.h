// Page templates: each {{title}} is filled in later.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace drawing {

/// The page with each {{name}} replaced by its text, which is not searched for places itself.
std::string filled(std::string_view page, std::initializer_list<std::pair<std::string_view, std::string_view>> texts);

} // namespace drawing
