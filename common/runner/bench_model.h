// The timing model's prediction for a lab's versions, as in `./lab trace`: how long one block takes that has an SM to
// itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compile/compiler.h"
#include "runner/command.h"
#include "sim/timeline/model.h"

namespace runner {

struct NamedModel {
    sim::timeline::Model model;
    std::string gpu;
    bool published; ///< its parameters are from the sources that the file names, not measured here
};
/// The parameters of a GPU by its name ("h100", "h200", "b200": bench/models/), or from a file; without a name, those
/// of an H100. Throws Problem if there is no such file or it is none.
NamedModel model_named(const base::Paths& paths, const std::string& name);
/// What a reader of a program's times must know of the model; empty: nothing. `arch`: "compute_100a"
std::string remark_on(const NamedModel& named, std::string_view arch);

/// `--model NAME`; empty: the default.
CLI::Option* add_model(CLI::App& command, std::string& name);

/// Modelled cycles by variant, as check::measure names them. Runs the lab's LAB_BENCH on the simulated device, in this
/// process, for the first `most` variants. Throws Problem when it does not run.
std::map<std::string, uint64_t> modelled_cycles(const compile::Compiler& compiler, const compile::Compiled& compiled,
                                                const check::ListedLab& lab, const sim::timeline::Model& model = {},
                                                size_t most = SIZE_MAX);

} // namespace runner
