// Instructions that `./lab check` is asked to leave out.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "compile/compiler.h"
#include "judge/checker.h"

namespace runner {

namespace fs = std::filesystem;

/// "compute_90:3": the fourth instruction of removables() in that target's PTX. Throws Problem if there is none.
judge::Skip skip_named(const check::ListedLab& lab, const std::string& name);
/// All that can be named, with their lines. Throws Problem if the file does not compile.
nlohmann::json skips(const compile::Compiler& compiler, const check::ListedLab& lab, const fs::path& source);

} // namespace runner
