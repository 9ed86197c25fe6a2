// Finds the lab, rule or command that the user typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "check/lab.h"

namespace runner {

/// A lab by number ("3", "03"), name or any part of the name that only one lab has; a drill by lab and number ("03.2"),
/// a hunt with an h ("03.h1"), either by its path. Throws Problem that suggests the nearest.
const check::ListedLab& find_lab(std::string_view text);
/// The path in `text`, if find_lab took it for a lab but it is a file other than the lab's own, as --file would name
/// it. Empty: it is the lab's own, or not a path.
std::string other_file(const base::Paths& paths, const std::string& text);
/// The file of a lab or exercise that the user edits. An installed package makes a copy of its own for it.
base::fs::path working_file(const base::Paths& paths, std::string_view name);
/// The same for labs only: a path inside a lab stands for the lab.
const check::ListedLab& find_whole_lab(std::string_view text);
/// The lab that an exercise belongs to; a lab's own name.
std::string_view lab_of(std::string_view name);
/// The exercises of a lab; `kind`: "drills" or "hunts".
std::vector<const check::ListedLab*> exercises_of(std::string_view lab, std::string_view kind);
/// The lab's target for "compute_90"; for "" the newest. Throws Problem that lists them.
check::Target target_of(const check::ListedLab& lab, std::string_view arch);
/// The most similar of `names`; empty if none is similar.
std::string nearest(std::string_view text, const std::vector<std::string>& names);
/// "03" of "03_pipeline_primitives", "03.2" of its second drill, "03.h1" of its first hunt: what find_lab takes.
std::string number_of(std::string_view lab);

} // namespace runner
