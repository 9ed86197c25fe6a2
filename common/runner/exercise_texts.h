// What labs/NN_name/exercises.toml says of a lab, its drills and its hunts. docs/adding.md describes the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"

namespace runner {

struct Hint {
    std::string heading; ///< a few words
    std::string text;    ///< Markdown
};

struct ExerciseTexts {
    std::string title, task; ///< of a drill or hunt; the English task is the comment at the head of its program
    std::vector<Hint> hints; ///< a nudge first, nearly the code last
};

/// The texts of a lab ("05_wait_group": hints only) or an exercise ("05_wait_group/drills/1_which_n"). In `language`
/// ("zh") if the file has the text in it, else in English. Throws Problem, which names the file's line, when something
/// is missing.
ExerciseTexts read_texts(const base::Paths& paths, std::string_view name, std::string_view language);

} // namespace runner
