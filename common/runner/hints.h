// The hints of a lab, a drill or a hunt.
#pragma once

#include <string_view>
#include <vector>

#include "base/paths.h"
#include "runner/exercise_texts.h"

namespace runner {

/// As exercises.toml has them in `language` ("zh"; "": English). For a lab, the card of calls in its README comes
/// before the last one. Throws Problem as read_texts does.
std::vector<Hint> read_hints(const base::Paths& paths, std::string_view name, std::string_view language = {});

} // namespace runner
