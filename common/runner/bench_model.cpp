#include "runner/bench_model.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "check/suite.h"
#include "runner/translation.h"
#include "sim/timeline/recorder.h"
#include "sim/timeline/replay.h"

namespace runner {

using base::Problem, base::read_file;
using compile::Compiled, compile::Compiler;

NamedModel model_named(const base::Paths& paths, const std::string& name) {
    if (name.empty())
        return {{}, "NVIDIA H100", false};
    const fs::path kept = paths.root / "common/runner/bench/models" / (name + ".json");
    const fs::path file = fs::exists(name) || !fs::exists(kept) ? fs::path(name) : kept;
    if (!fs::is_regular_file(file))
        throw Problem{"there is no model " + name, "name h100, h200, b200 or a file that ./lab bench model wrote"};
    const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
    if (!json.is_object() || !json.contains("model"))
        throw Problem{base::shown(file) + " is not a file of the timing model",
                      "./lab bench model writes one; docs/timeline.md says what is in it"};
    return {sim::timeline::read_model(json["model"], base::shown(file)), json.value("gpu", base::shown(file)),
            json.contains("sources")};
}

std::string remark_on(const NamedModel& named, std::string_view arch) {
    if (named.published)
        return said("The times are modelled with published figures of an {}. None of them was measured here: "
                    "docs/timeline.md names their sources.",
                    named.gpu);
    if (arch.find("_10") == std::string_view::npos)
        return {};
    return said(
        "The times are modelled with an {}'s figures for memory and instructions: --model b200 takes those that "
        "were published for a B200.",
        named.gpu);
}

CLI::Option* add_model(CLI::App& command, std::string& name) {
    return command
        .add_option("--model", name,
                    "The timing model's parameters: h100 (the default), h200, b200 (published figures, not measured "
                    "here), or a file that './lab bench model' wrote")
        ->type_name("NAME");
}

std::map<std::string, uint64_t> modelled_cycles(const Compiler& compiler, const Compiled& compiled,
                                                const check::ListedLab& lab, const sim::timeline::Model& model,
                                                size_t most) {
    check::RunConfig config = compiler.run_config(compiled, lab.lab->targets.back());
    config.schedule = check::schedules(1, 1).front();
    config.timeout = std::chrono::seconds(60);
    std::map<std::string, uint64_t> cycles;
    // A recording keeps one launch: each variant has a run of its own.
    for (size_t variant = 0; variant < most; ++variant) {
        sim::timeline::Recording recording;
        config.listener = sim::timeline::recorder(recording);
        config.only_variant = variant;
        const check::RunResult result = check::run_bench(lab.name, config);
        if (result.stuck || result.verdict != check::Verdict::passed)
            throw Problem{fmt::format("on the simulated device it does not run: {}", result.message),
                          "./lab check " + std::string(lab.name.substr(0, 2))};
        if (result.measured.size() <= variant + 1)
            break;
        cycles[result.measured.at(variant + 1).variant] = sim::timeline::replay(recording, model).cycles;
    }
    return cycles;
}

} // namespace runner
