#include "runner/show_steps.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "drawing/stepper_page.h"
#include "runner/language.h"
#include "runner/translation.h"
#include "sim/ptx/source_texts.h"
#include "sim/stepper/json.h"

namespace runner {

using base::Problem, base::shown, base::write_file;
using sim::hazards::Finding;

void show_steps(std::FILE* terminal, const std::string& title, const sim::stepper::Recording& recording,
                const std::vector<Finding>& findings, uint64_t block, const fs::path& out) {
    if (recording.empty())
        throw Problem{fmt::format("there is nothing to step through: block {} of no launch has run", block),
                      "check that the program launches a kernel; --block chooses another block"};
    const bool data = out.extension() == ".json";
    std::vector<Finding> worded;
    for (const Finding& finding : findings)
        worded.push_back(data ? finding : translated(finding));
    const std::string json = sim::stepper::json(recording, {title, worded, sim::ptx::source_text});
    std::error_code problem;
    if (out.has_parent_path())
        fs::create_directories(out.parent_path(), problem);
    write_file(out, data ? json + "\n" : drawing::stepper_page(title, language(), json));
    const Finding* finding = sim::stepper::worst(findings);
    const auto step = finding ? sim::stepper::moments(recording, *finding).step : sim::stepper::none;
    const uint64_t first = recording.skipped + 1, last = recording.skipped + recording.steps.size(),
                   all = last + recording.left_out;
    const std::string steps = last - first + 1 == all
                                  ? fmt::format("{} steps", all)
                                  : fmt::format("steps {} to {} of {} (--from chooses others)", first, last, all);
    const std::string where =
        step == sim::stepper::none ? std::string() : fmt::format("the finding is at step {}", first + step);
    fmt::print(terminal, "{}{}{}\n{}\n", translated(steps), where.empty() ? "" : wording("; "), translated(where),
               translated(fmt::format("page: {}", shown(out))));
}

} // namespace runner
