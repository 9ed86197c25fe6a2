// What is sent between processes arrives as it was, every field of it.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "check/run_config.h"
#include "check/verdict.h"
#include "sim/report/json.h"
#include "sim/rules/rule.h"

using namespace check;
using sim::machine::Schedule;

TEST_CASE("a configuration") {
    RunConfig sent;
    sent.program = "/somewhere/program";
    sent.target = sm_90a;
    sent.gpu = true;
    sent.under = {"compute-sanitizer", "--tool"};
    sent.blocks_per_sm = 2;
    sent.only_variant = 3;
    sent.ptx = "/somewhere/kernel.ptx";
    sent.schedule = {Schedule::Completion::random, Schedule::Warps::one_ahead, 7};
    sent.data_seed = 18;
    sent.sms = 132;
    sent.max_instructions = 1000;
    sent.timeout = std::chrono::milliseconds(2500);
    sent.estimate = true;
    sent.means = true;
    sent.repeat = true;
    sent.repeat_seed = 19;
    sent.environment = {{"LD_LIBRARY_PATH", "/there"}};
    sent.source = "/somewhere/kernel.cu";
    sent.box = {isolation::Level::landlock, 1000, true, {"/"}, {"/tmp"}, true};
    const RunConfig got = run_config(to_json(sent));
    CHECK(got.program == sent.program);
    CHECK(got.target == sent.target);
    CHECK(got.gpu);
    CHECK(got.under == sent.under);
    CHECK(got.blocks_per_sm == 2);
    CHECK(got.only_variant == 3);
    CHECK(got.ptx == sent.ptx);
    CHECK(got.schedule.completion == Schedule::Completion::random);
    CHECK(got.schedule.warps == Schedule::Warps::one_ahead);
    CHECK(got.schedule.seed == 7);
    CHECK(got.data_seed == 18);
    CHECK(got.sms == 132);
    CHECK(got.max_instructions == 1000);
    CHECK(got.timeout == sent.timeout);
    CHECK(got.estimate);
    CHECK(got.means);
    CHECK(got.repeat);
    CHECK(got.repeat_seed == 19);
    CHECK(got.environment == sent.environment);
    CHECK(got.source == sent.source);
    CHECK(got.box.level == isolation::Level::landlock);
    CHECK(got.box.user == 1000);
    CHECK(got.box.compiler);
    CHECK(got.box.readable == sent.box.readable);
    CHECK(got.box.writable == sent.box.writable);
    CHECK(got.box.own_environment);
    CHECK(run_config(to_json(RunConfig{})).only_variant == SIZE_MAX);
}

TEST_CASE("a result with a finding") {
    sim::hazards::Finding finding;
    finding.rule = sim::hazards::rules().front();
    finding.severity = sim::hazards::Severity::warning;
    finding.kernel = "stencil";
    finding.first.file = "kernel.cu";
    finding.first.line = 41;
    finding.first.column = 5;
    finding.first.threads.add(2, 0, 0xff);
    finding.first.action = "read";
    finding.first.alternatives = {"kernel.cu:42"};
    finding.others.emplace_back().kernel = "fill";
    finding.message = "why";
    finding.remedy = "how";
    finding.count = 3;
    finding.schedule = {Schedule::Completion::eager, Schedule::Warps::random, 9};
    RunResult sent;
    sent.verdict = Verdict::cuda_error;
    sent.message = "it failed";
    sent.call = "launch(1)";
    sent.findings = {finding};
    sent.output = "hello\n";
    sent.seconds = 0.5;
    sent.measured = {{"4 stages", 1000, 0.25}};
    sent.estimate = {1000, 1500, {sim::timeline::Bound::Limit::latency, 0.75, 0, true, 0.5, 4096, 12288}};
    sent.repeated = true;
    sent.processor_seconds = 0.25;
    sent.stuck = true;
    sent.any_target = true;
    sent.gaps = {{"not judged", "do this"}};
    sent.executed = {
        12, 3, {{"ex2.approx.f32", "rounded", "kernel.cu", 7, true}}, {{"wgmma", "missing", "", 0, false}}};
    const RunResult got = run_result(to_json(sent));
    CHECK(got.verdict == Verdict::cuda_error);
    CHECK(got.call == sent.call);
    CHECK(got.repeated);
    CHECK(got.processor_seconds == 0.25);
    CHECK(got.stuck);
    CHECK(got.any_target);
    REQUIRE(got.estimate);
    CHECK(got.estimate->awaited == 1500);
    CHECK(got.estimate->bound.limit == sim::timeline::Bound::Limit::latency);
    CHECK(got.estimate->bound.needed == 12288);
    CHECK(!run_result(to_json(RunResult{})).estimate);
    REQUIRE(got.measured.size() == 1);
    CHECK(got.measured[0].variant == "4 stages");
    REQUIRE(got.findings.size() == 1);
    CHECK(got.findings[0].rule == finding.rule);
    CHECK(got.findings[0].severity == sim::hazards::Severity::warning);
    CHECK(got.findings[0].first.threads.text() == "threads 0-7 of block 2");
    CHECK(got.findings[0].schedule.warps == Schedule::Warps::random);
    CHECK(got.gaps == sent.gaps);
    CHECK(got.executed.exactly == 12);
    CHECK(got.executed.not_reached == 3);
    CHECK(got.executed.approximately == sent.executed.approximately);
    CHECK(got.executed.refused == sent.executed.refused);
    CHECK(to_json(got) == to_json(sent));
}
