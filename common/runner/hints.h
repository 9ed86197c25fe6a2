// The hints of a lab: solutions/NN_name/hints.md, one section ("## a few words") for each stage; of an exercise:
// solutions/NN_name/drills/N_name.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"

namespace runner {

struct Hint {
    std::string heading; ///< a few words
    std::string text;    ///< Markdown
};

/// The stages in order: a nudge first, nearly the code last. `language` ("zh") picks hints.zh.md; where there is
/// none, and for "", it is the English hints.md. Before the last stage comes the card of calls in the lab's README.
/// Throws Problem when the file is missing or is not what it should be.
std::vector<Hint> read_hints(const base::Paths& paths, std::string_view lab, std::string_view language = {});

/// The sections ("## heading") of a Markdown file. Throws Problem as read_hints does.
std::vector<Hint> read_sections(const std::filesystem::path& file);

/// Markdown for a terminal: paragraphs and lists broken at `width` (0: not broken), code as it is, all indented.
std::string rendered(std::string_view markdown, std::string_view indent, size_t width);

} // namespace runner
