#include "web/run.h"

#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/problem.h"
#include "drawing/render.h"
#include "launch/launch.h"
#include "sim/report/causes.h"
#include "sim/report/json.h"
#include "sim/stepper/json.h"
#include "sim/stepper/moments.h"
#include "sim/stepper/recorder.h"
#include "sim/timeline/recorder.h"

namespace web {

using base::Problem;
using nlohmann::json;

namespace {

constexpr uint64_t most_instructions = 2'000'000'000;

sim::machine::Schedule schedule_of(const json& request) {
    using sim::machine::Schedule;
    Schedule schedule;
    const std::string name = request.value("schedule", "lazy");
    if (name == "eager")
        schedule = {Schedule::Completion::eager, Schedule::Warps::one_ahead, 1};
    else if (name == "random")
        schedule = {Schedule::Completion::random, Schedule::Warps::random, 1};
    else if (name != "lazy")
        throw Problem{fmt::format("there is no schedule \"{}\"", name), "choose lazy, eager or random"};
    schedule.seed = request.value("seed", uint64_t{1});
    return schedule;
}

/// The report as `./lab run` shows it, without colours.
std::string report_of(const std::vector<sim::hazards::Finding>& findings, const std::vector<sim::hazards::Gap>& gaps) {
    std::string text;
    sim::hazards::ReportStyle style;
    style.base = "/";
    style.width = 100;
    for (const auto& group : sim::hazards::grouped_by_cause(findings))
        text += (text.empty() ? "" : "\n") + sim::hazards::text(group, style);
    for (const auto& gap : gaps)
        text += fmt::format("{}not judged: {}\n  next: {}\n", text.empty() ? "" : "\n", gap.what, gap.next);
    return text;
}

const char* verdict_of(const std::vector<sim::hazards::Finding>& findings, const sim::machine::Outcome& outcome,
                       const json& results, bool gaps) {
    for (const auto& finding : findings)
        if (finding.severity == sim::hazards::Severity::error)
            return "hazard";
    if (!outcome)
        return outcome.fault == sim::machine::Fault::not_implemented ? "not-supported" : "failed";
    for (const json& result : results)
        if (result["wrong"] != 0)
            return "wrong";
    return gaps ? "incomplete" : "passed";
}

std::string no_files(const std::string&) {
    throw Problem{"there are no files here", "write a formula or a list"};
}

/// {"buffer", "wrong", "of", "index", "expected", "found"}; the last three only if an element is wrong.
json results(sim::Device& device, const launch::Launches& launches) {
    json all = json::array();
    for (const launch::Compared& one : launch::compare(device, launches)) {
        all.push_back({{"buffer", one.buffer}, {"wrong", one.wrong}, {"of", one.of}});
        if (one.wrong)
            all.back().update({{"index", one.index}, {"expected", one.expected}, {"found", one.found}});
    }
    return all;
}

using Listener = std::function<std::unique_ptr<sim::events::Listener>()>;

/// The launches that the request describes.
class Run {
  public:
    Run(const json& request, Listener listener)
        : device(options(request, std::move(listener))),
          launches(launch::prepare(device, launch::Part(request, "").at("ptx", "the PTX").text("\"ptx\": \"…\""),
                                   request, no_files)) {
        const auto began = std::chrono::steady_clock::now();
        outcome = launch::run(device, launches);
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        findings = sim::hazards::reported(device.reporter());
    }

    std::string output; ///< of the kernel's printf
    sim::Device device;
    launch::Launches launches;
    sim::machine::Outcome outcome;
    double seconds = 0;
    std::vector<sim::hazards::Finding> findings;

  private:
    sim::machine::Options options(const json& request, Listener listener) {
        sim::machine::Options options;
        options.schedule = schedule_of(request);
        options.max_instructions = most_instructions;
        options.listener = std::move(listener);
        options.output = [this](std::string_view text) {
            if (output.size() < (1 << 20))
                output += text;
        };
        return options;
    }
};

std::string source(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The data of the stepper's page: for the block with a finding, unless the request names another.
std::string steps(const json& request) {
    sim::stepper::Recording recording;
    sim::stepper::RecorderOptions options{request.value("stepped_block", uint64_t{0}),
                                          request.value("first_step", uint64_t{0})};
    const auto record = [&] {
        recording = {};
        return Run(request, sim::stepper::recorder(recording, options)).findings;
    };
    auto findings = record();
    const auto* finding = sim::stepper::worst(findings);
    if (const auto subject = finding ? sim::stepper::other_blocks(recording, *finding) : std::nullopt;
        subject && !request.contains("stepped_block")) {
        options.block = subject->block;
        options.also = subject->also;
        findings = record();
    }
    return sim::stepper::json(recording, {request.value("title", recording.kernel), findings, source});
}

json answer(const json& request) {
    sim::timeline::Recording recording;
    const bool timeline = request.value("timeline", false);
    Run run(request,
            timeline ? sim::timeline::recorder(recording, {request.value("traced_block", uint64_t{0})}) : Listener());
    const auto gaps = run.device.gaps();
    const json found = run.outcome ? results(run.device, run.launches) : json::array();
    json all{{"verdict", verdict_of(run.findings, run.outcome, found, !gaps.empty())},
             {"report", report_of(run.findings, gaps)},
             {"findings", sim::hazards::to_json(run.findings)},
             {"not_judged", sim::hazards::to_json(gaps)},
             {"results", found},
             {"output", run.output},
             {"message", run.outcome.message},
             {"instructions", run.device.statistics().thread_instructions},
             {"seconds", run.seconds}};
    if (timeline && !recording.events.empty())
        all["timeline"] = drawing::page(drawing::make_view(request.value("title", recording.kernel), recording));
    if (request.value("stepper", false))
        all["steps"] = steps(request);
    return all;
}

json problem(const std::string& what, const std::string& next) {
    return {{"verdict", "problem"}, {"message", what}, {"next", next}};
}

json answer_or_problem(std::string_view request) {
    try {
        return answer(json::parse(request));
    } catch (const launch::Mistake& one) {
        return problem("the launch description" + (one.place.empty() ? "" : ", " + one.place) + ": " + one.what,
                       one.next);
    } catch (const Problem& one) {
        return problem(one.what, one.next);
    } catch (const sim::ptx::ParseError& one) {
        return problem(fmt::format("the PTX, line {}: {}", one.line, one.what()),
                       "paste the output of nvcc -ptx -lineinfo as it is");
    } catch (const json::exception& one) {
        return problem(fmt::format("the launch description: {}", one.what()), "compare it with the one of an example");
    } catch (const std::exception& one) {
        return problem(one.what(), "use smaller buffers or a smaller grid");
    }
}

} // namespace

std::string run(std::string_view request) {
    return answer_or_problem(request).dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace web
