// Cases: which there are, in which order, and what becomes of each when it is run. The cases are example/check.cpp's.
#include <filesystem>
#include <fstream>
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "check/suite.h"
#include "sim/report/json.h"

namespace {

using check::Verdict;

constexpr std::string_view lab = "example";

// A case is run by doctest, as the test itself is, and leaves threads behind: so a process of their own runs them all,
// as the runner's workers do.
std::vector<check::Case> listed;
std::map<std::string, check::RunResult> results, again, means;

nlohmann::json run_all() {
    nlohmann::json all = nlohmann::json::array();
    const auto cases = check::cases(lab);
    for (size_t i = 0; i < cases.size(); ++i) {
        check::RunConfig config;
        config.program = EXAMPLE_PROGRAM;
        config.environment["LD_LIBRARY_PATH"] = CUDA_RUNTIME;
        config.target = check::sm_90;
        config.data_seed = 7;
        const auto first = check::to_json(check::run_case(lab, i, config));
        config.data_seed = 8;
        config.repeat = true;
        const auto second = check::to_json(check::run_case(lab, i, config));
        config.means = true;
        const auto third = check::to_json(check::run_case(lab, i, config));
        all.push_back({{"name", cases[i].name},
                       {"points", cases[i].points},
                       {"line", cases[i].line},
                       {"first", first},
                       {"second", second},
                       {"third", third}});
    }
    if (!check::cases("other").empty())
        all.push_back({{"name", "cases of a lab that there is not"}});
    return all;
}

void run_elsewhere() {
    const std::string file = "suite_test." + std::to_string(getpid());
    if (const pid_t child = fork(); child == 0) {
        std::ofstream(file) << run_all();
        _exit(0);
    } else {
        waitpid(child, nullptr, 0);
    }
    for (const auto& one : nlohmann::json::parse(std::ifstream(file))) {
        listed.push_back({one.at("name"), one.at("points"), one.at("line")});
        results[listed.back().name] = check::run_result(one.at("first"));
        again[listed.back().name] = check::run_result(one.at("second"));
        means[listed.back().name] = check::run_result(one.at("third"));
    }
    std::filesystem::remove(file);
}

void becomes(const std::string& name, Verdict verdict, std::initializer_list<const char*> words = {}) {
    REQUIRE(results.contains(name));
    const auto& result = results[name];
    CAPTURE(name);
    CAPTURE(result.message);
    CHECK(check::name(result.verdict) == check::name(verdict));
    for (const char* word : words)
        CHECK(result.message.find(word) != std::string::npos);
    CHECK(check::name(again[name].verdict) == check::name(verdict));
}

} // namespace

TEST_CASE("a case's whole name names it alone, any other text all whose names contain it") {
    const std::vector<check::Case> cases{{"one block"}, {"one block, more tiles"}, {"no conflicts"}};
    CHECK(check::named(cases, "one block") == std::vector{true, false, false});
    CHECK(check::named(cases, "one") == std::vector{true, true, false});
    CHECK(check::named(cases, "") == std::vector{true, true, true});
    CHECK(check::named(cases, "two") == std::vector{false, false, false});
}

TEST_CASE("a lab's cases are those of its file, in the order in which they stand there") {
    REQUIRE(listed.size() == 27);
    CHECK(listed[0].name == "a copy of the host's memory");
    CHECK(listed[0].points == 2);
    CHECK(listed[1].name == "right values that no kernel has written");
    CHECK(listed[1].points == 3);
    CHECK(listed[13].name == "a tolerance is relative above 1"); // and LAB_BENCH is none
    for (size_t i = 1; i < listed.size(); ++i)
        CHECK(listed[i].line > listed[i - 1].line);
}

TEST_CASE("buffers hold what they were made with, or what the program has left in them") {
    becomes("a copy of the host's memory", Verdict::passed);
    becomes("a slice, and new contents", Verdict::passed);
    becomes("numbers are in their ranges", Verdict::passed);
}

TEST_CASE("results count only if a kernel has written them") {
    becomes("right values that no kernel has written", Verdict::wrong, {"not every one", "written by a kernel"});
}

TEST_CASE("the first wrong element is named, with what it should be") {
    becomes("the last element is missing", Verdict::wrong, {"[63]", "1 of 64 elements is wrong"});
    becomes("rows and columns", Verdict::wrong, {"2", "3", "is 0, expected 1.5", "1 of 24 elements is wrong"});
    becomes("padding is written", Verdict::wrong, {"padding"});
    becomes("an input is changed", Verdict::wrong, {"must not change", "[0]", "is 0"});
    becomes("a tolerance is relative above 1", Verdict::wrong, {"expected 0.00205"});
}

TEST_CASE("what is no matter of values has verdicts of its own") {
    becomes("a mechanism is missing", Verdict::mechanism, {"the input arrives by cp.async"});
    becomes("an upload that is more than the trace keeps", Verdict::mechanism,
            {"more than 16 MiB", "more than the checker compares", "copy each input and each result once"});
    becomes("a CUDA error", Verdict::cuda_error, {"cudaErrorInvalidValue"});
    becomes("the program leaves", Verdict::crash, {"3"});
    CHECK(results["a write beyond the end"].verdict != Verdict::passed);
    CHECK(results["too few arguments"].verdict != Verdict::passed);
}

TEST_CASE("what is still to be done when the launch function returns belongs to the call, what comes later to none") {
    becomes("a copy by another thread of the program", Verdict::passed);
    becomes("a copy after the launch function has returned", Verdict::passed);
    becomes("a copy when the call is over", Verdict::mechanism, {"for the launch function only", "in a destructor"});
}

TEST_CASE("two calls have a stream each, and nothing orders them") {
    becomes("two calls in two streams", Verdict::passed);
    becomes("two calls to the same place", Verdict::hazard);
    CHECK(results["two calls to the same place"].call ==
          "launch(0, [32], [32], 32) and, in another stream, launch(0, [32], [32], 32)");
}

TEST_CASE("what was not judged is no pass, and nothing else keeps a case from passing") {
    becomes("an upload that nobody looks at", Verdict::passed);
    becomes("a refused function", Verdict::incomplete, {"nothing wrong was found", "cudaMallocArray", "next: "});
    CHECK(results["a refused function"].executed.refused.at(0).what == "cudaMallocArray");
    CHECK(results["a refused function"].gaps.size() == 1);
    // Only the second run is repeated.
    const std::string name = "an upload that is more than can be repeated";
    CHECK(check::name(results[name].verdict) == "passed");
    CHECK(check::name(again[name].verdict) == "incomplete");
    CHECK(again[name].message.find("64 MiB") != std::string::npos);
}

TEST_CASE("where only the means count, wrong results are counted and nothing else is excused") {
    const auto& close = means["a tolerance is relative above 1"];
    CHECK(check::name(close.verdict) == "passed");
    CHECK(close.right == 3); // of two comparisons with two elements each
    CHECK(close.compared == 4);
    const auto& missing = means["the last element is missing"]; // and no kernel has written the others
    CHECK(check::name(missing.verdict) == "passed");
    CHECK(missing.right == 0);
    CHECK(missing.compared == 64);
    CHECK(check::name(means["a mechanism is missing"].verdict) == "mechanism");
    CHECK(check::name(means["a CUDA error"].verdict) == "cuda-error");
    CHECK(check::name(means["the program leaves"].verdict) == "crash");
    CHECK(results["the last element is missing"].compared == 0);
}

TEST_CASE("a result can depend on the target if the program or the case has asked for it") {
    for (const auto& [name, any] : std::map<std::string, bool>{{"the program asks for the architecture", false},
                                                               {"the program asks for all properties", false},
                                                               {"the program asks for the multiprocessors", true},
                                                               {"the case asks for the target", false},
                                                               {"a copy of the host's memory", true},
                                                               {"the last element is missing", true}}) {
        CAPTURE(name);
        REQUIRE(results.contains(name));
        CHECK(results[name].any_target == any);
        CHECK(again[name].any_target == any);
    }
}

TEST_CASE("a failure names its call") {
    CHECK(results["the last element is missing"].call == "launch(1, [64], [64], 64)");
}

TEST_CASE("results go through JSON and come back") {
    for (const auto& [name, result] : results) {
        const auto back = check::run_result(check::to_json(result));
        CHECK(back.verdict == result.verdict);
        CHECK(back.message == result.message);
        CHECK(back.call == result.call);
        CHECK(sim::hazards::to_json(back.findings) == sim::hazards::to_json(result.findings));
    }
}

TEST_CASE("schedules: lazy, eager and random ones first, as many as are wanted, each once") {
    using Completion = sim::machine::Schedule::Completion;
    const auto four = check::schedules(4, 9);
    REQUIRE(four.size() == 4);
    CHECK(four[0].completion == Completion::lazy);
    CHECK(four[1].completion == Completion::eager);
    CHECK(four[2].completion == Completion::random);
    CHECK(check::schedules(1, 9).size() == 1);
    const auto many = check::schedules(40, 9);
    REQUIRE(many.size() == 40);
    for (size_t i = 0; i < many.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            CHECK_FALSE((many[i].completion == many[j].completion && many[i].warps == many[j].warps &&
                         many[i].seed == many[j].seed));
    for (size_t i = 0; i < 4; ++i)
        CHECK(many[i].seed == four[i].seed);
}

int main(int argc, char** argv) {
    run_elsewhere();
    doctest::Context context(argc, argv);
    context.setOption("source-file-exclude", "*/check.cpp");
    return context.run();
}
