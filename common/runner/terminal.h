// The terminal's capabilities.
#pragma once

#include <cstddef>

namespace runner {

/// Columns of the terminal behind the descriptor; 0 if there is none.
size_t width_of(int fd);
/// Does the locale have more than ASCII? Where none is set, yes: most terminals do.
bool utf8();
/// From now on all output to stdout and stderr is ASCII: "…" becomes "...".
void speak_ascii();

/// How text for people is to look.
struct Look {
    bool colour = false;
    size_t width = 0;      ///< 0: paragraphs are not broken into lines
    bool gcc = false;      ///< places as compilers print them, for editors
    bool remedies = true;  ///< false: findings say what is wrong, and not what would fix it
    bool symptoms = false; ///< true: only which cases fail, not why
};

} // namespace runner
