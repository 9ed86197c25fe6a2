// The terminal's capabilities.
#pragma once

#include <cstddef>
#include <string_view>

namespace runner {

/// Columns of the terminal behind the descriptor; 0 if there is none.
size_t width_of(int fd);
/// Does the locale have more than ASCII? Where none is set, yes: most terminals do.
bool utf8();
/// How the user starts this program: "./lab", or what LAB_COMMAND says: "asynclab" in an installed package.
std::string_view command_name();
/// From now on all output to stdout and stderr fits the user: where the locale has ASCII only, "…" becomes "...", and
/// in an installed package "./lab check" is "asynclab check".
void adapt_output();

/// How text for people is to look.
struct Look {
    bool colour = false;
    size_t width = 0;      ///< 0: paragraphs are not broken into lines
    bool gcc = false;      ///< places as compilers print them, for editors
    bool remedies = true;  ///< false: findings say what is wrong, and not what would fix it
    bool symptoms = false; ///< true: only which cases fail, not why
};

} // namespace runner
