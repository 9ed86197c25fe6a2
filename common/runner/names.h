// Finding a lab, a rule or a command by what the user typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/lab.h"

namespace runner {

/// By number ("3", "03"), name or any part of the name that only one lab has. Throws Problem that suggests the nearest.
const check::ListedLab& find_lab(std::string_view text);
/// The lab's target for "compute_90"; for "" the newest. Throws Problem that lists them.
check::Target target_of(const check::ListedLab& lab, std::string_view arch);
/// The most similar of `names`; empty if none is similar.
std::string nearest(std::string_view text, const std::vector<std::string>& names);
/// "03" of "03_pipeline_primitives"
std::string number_of(std::string_view lab);

} // namespace runner
