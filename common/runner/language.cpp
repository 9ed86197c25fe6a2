#include "runner/language.h"

#include <cstdlib>

namespace runner {

std::string_view language() {
    // The first that is set decides, as gettext's do.
    for (const char* variable : {"LAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"})
        if (const char* value = std::getenv(variable); value && *value) {
            const std::string_view name(value);
            return name.substr(0, name.find_first_of("_-.")) == "zh" ? "zh" : "";
        }
    return "";
}

std::string_view page_of_lab() {
    return language().empty() ? "README.md" : "README.zh.md";
}

} // namespace runner
