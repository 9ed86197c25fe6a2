// In which language texts are shown: LAB_LANG, else the locale.
#pragma once

#include <string_view>

namespace runner {

/// "zh", or "" for English.
std::string_view language();
/// The page of a lab in that language: "README.zh.md".
std::string_view page_of_lab();

} // namespace runner
