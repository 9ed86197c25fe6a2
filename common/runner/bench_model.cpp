#include "runner/bench_model.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "check/suite.h"
#include "sim/timeline/recorder.h"
#include "sim/timeline/replay.h"

namespace runner {

using base::Problem, base::read_file;
using judge::Compiled, judge::Compiler;

std::map<std::string, uint64_t> modelled_cycles(const Compiler& compiler, const Compiled& compiled,
                                                const check::ListedLab& lab, size_t most) {
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
        cycles[result.measured.at(variant + 1).variant] = sim::timeline::replay(recording).cycles;
    }
    return cycles;
}

} // namespace runner
