// DOCTEST_CONFIG_IMPLEMENT: doctest's own code is compiled here, without its main function.
#define DOCTEST_CONFIG_IMPLEMENT
#include "check/suite.h"

#include <algorithm>
#include <optional>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "base/problem.h"
#include "check/device_process.h"
#include "check/recording.h"
#include "check/session.h"
#include "sim/rules/rule.h"

namespace check {
namespace {

// What doctest reports about the cases that it lists or runs.
struct Heard {
    std::vector<Case> listed;
    std::optional<Failed> failed;
} heard;

struct Listener : doctest::IReporter {
    explicit Listener(const doctest::ContextOptions&) {}
    void report_query(const doctest::QueryData& query) override {
        for (unsigned i = 0; i < query.num_data; ++i) {
            const auto& test = *query.data[i];
            heard.listed.push_back(
                {test.m_name, std::atoi(test.m_description ? test.m_description : "0"), static_cast<int>(test.m_line)});
        }
    }
    void test_case_exception(const doctest::TestCaseException& exception) override {
        if (!heard.failed)
            heard.failed = Failed{Verdict::internal, exception.error_string.c_str()};
    }
    void log_assert(const doctest::AssertData& assertion) override {
        if (assertion.m_failed && !heard.failed)
            heard.failed = Failed{Verdict::wrong, fmt::format("{} is not true: {}", assertion.m_expr,
                                                              assertion.m_threw ? assertion.m_exception.c_str()
                                                                                : assertion.m_decomp.c_str())};
    }
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats&) override {}
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

doctest::String translate(Failed failed) {
    if (!heard.failed)
        heard.failed = failed;
    return "failed";
}

constexpr size_t every_case = SIZE_MAX;

// `index`: of the case to run; nothing: list them. Uses the suite "bench" or all others.
void run_doctest(std::string_view lab, std::optional<size_t> index, bool bench) {
    static const bool registered [[maybe_unused]] = [] {
        doctest::registerReporter<Listener>("lab", 0, true);
        doctest::registerExceptionTranslator<Failed>(translate);
        return true;
    }();
    heard = {};
    const char* const list[] = {"lab", "--list-test-cases"}; // a flag, which setOption cannot set
    doctest::Context context(index ? 1 : 2, list);
    context.setOption("reporters", "lab");
    const std::string_view folder = lab.substr(0, lab.find('/')), exercise = lab.substr(folder.size());
    context.setOption("source-file",
                      fmt::format("*{}/{}.cpp", folder, exercise.empty() ? "check" : "exercises").c_str());
    if (exercise.empty())
        context.setOption(bench ? "test-suite" : "test-suite-exclude", "bench");
    else // its EXERCISE; no exercise has a bench
        context.setOption("test-suite", bench ? "bench" : std::string(exercise.substr(1)).c_str());
    context.setOption("case-sensitive", true); // all cases of all labs are compared
    context.setOption("order-by", "file");
    context.setOption("no-intro", true);
    context.setOption("no-version", true);
    if (index && *index != every_case) {
        context.setOption("first", static_cast<int>(*index) + 1);
        context.setOption("last", static_cast<int>(*index) + 1);
    }
    context.run();
}

// Of two counts the worse one, since a result has to be computed from the inputs.
void take_count(const Session& session, RunResult& result) {
    if (result.compared == 0 || session.right < result.right)
        result.right = session.right, result.compared = session.compared;
}

// The program is gone; the same requests, other values.
void repeat(std::string_view lab, size_t index, const RunConfig& config, const Recorded& recording, RunResult& result) {
    if (!recording.complete) {
        result.gaps.push_back(
            {fmt::format("the program copies more than {} MiB between host and device, so the checker "
                         "cannot repeat the case with other values in the input buffers",
                         Recording::most_bytes >> 20),
             "copy and set no more than the case needs"});
        return;
    }
    Session session(config, &recording);
    run_doctest(lab, index, false);
    try {
        if (!heard.failed)
            session.channel().finish();
    } catch (const Failed& reason) {
        heard.failed = reason;
    }
    take_count(session, result);
    if (!heard.failed)
        return;
    result.verdict = heard.failed->verdict;
    result.repeated = true;
    const bool other_order = result.protocol.deviates; // it is repeated in one
    session.channel().describe(result);
    if (other_order && result.verdict == Verdict::hazard) {
        result.message.clear();
        return;
    }
    result.message =
        "the results were right, but not when the checker repeated the same launches, copies and sets with "
        "other values in the input buffers: compute every result from the inputs, in kernels";
    // Do not show values: they would reveal the next ones.
    if (heard.failed->verdict != Verdict::wrong && !heard.failed->message.empty())
        result.message += "\n" + heard.failed->message;
}

} // namespace

std::vector<bool> named(const std::vector<Case>& cases, std::string_view text) {
    const bool whole = std::ranges::find(cases, text, &Case::name) != cases.end();
    std::vector<bool> result;
    for (const Case& one : cases)
        result.push_back(whole ? one.name == text : one.name.find(text) != std::string::npos);
    return result;
}

std::vector<Case> cases(std::string_view lab) {
    run_doctest(lab, {}, false);
    return heard.listed;
}

bool has_bench(std::string_view lab) {
    run_doctest(lab, {}, true);
    return !heard.listed.empty();
}

namespace {

// A case that has not failed: has it passed?
void look_again(const RunConfig& config, RunResult& result) {
    std::erase_if(result.findings, [](const auto& finding) { return finding.rule && finding.rule->if_wrong; });
    const auto is_error = [](const auto& finding) { return finding.severity == sim::hazards::Severity::error; };
    // Errors were found after the last look, as the program left.
    if (!config.means && std::ranges::any_of(result.findings, is_error)) {
        result.verdict = Verdict::hazard;
    } else if (!result.gaps.empty()) {
        result.verdict = Verdict::incomplete;
        result.message = "nothing wrong was found, but not everything was judged";
        for (const auto& [what, next] : result.gaps)
            result.message += fmt::format("\n{}\nnext: {}", what, next);
    }
}

// Makes the findings that remain after the case's last line.
void finish(Channel& channel) {
    try {
        if (!heard.failed || !channel.has_results())
            channel.finish();
    } catch (const Failed& reason) {
        if (!heard.failed)
            heard.failed = reason;
    }
}

void run(std::string_view lab, size_t index, bool bench, const RunConfig& config, RunResult& result) {
    auto session = std::make_unique<Session>(config);
    Channel& channel = session->channel();
    run_doctest(lab, index, bench);
    finish(channel);
    channel.describe(result);
    take_count(*session, result);
    result.stuck = channel.device_gone();
    if (heard.failed) {
        result.verdict = heard.failed->verdict;
        result.message = heard.failed->message;
        result.kernel_stopped = heard.failed->kernel_stopped;
        result.partly = heard.failed->partly;
        result.share = heard.failed->share;
    }
    if (result.stuck) {
        session.release(); // its thread cannot be joined
    } else if (config.repeat && !heard.failed) {
        if (const auto recording = channel.recording()) {
            session.reset();
            repeat(lab, index, config, *recording, result);
        }
    }
    if (result.verdict == Verdict::passed)
        look_again(config, result);
}

// Of this process, of its children so far, as far as they have ended, and of the device's process.
double processor_seconds(const RunConfig& config) {
    double sum = config.device ? config.device->processor_seconds() : 0;
    for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage usage{};
        getrusage(who, &usage);
        for (const timeval& time : {usage.ru_utime, usage.ru_stime})
            sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
    return sum;
}

RunResult run_one(std::string_view lab, size_t index, bool bench, const RunConfig& config) {
    const auto began = std::chrono::steady_clock::now();
    const double processor_began = processor_seconds(config);
    RunResult result;
    use_constants(lab, config.constants);
    auto failed = [&](Verdict verdict, const std::string& message) {
        result.verdict = verdict;
        result.message = message;
    };
    try {
        run(lab, index, bench, config, result);
    } catch (const Failed& reason) {
        failed(reason.verdict, reason.message);
        result.kernel_stopped = reason.kernel_stopped;
    } catch (const base::Problem& problem) {
        failed(Verdict::internal, problem.what);
    } catch (const std::exception& problem) {
        failed(Verdict::internal, problem.what());
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    result.processor_seconds = processor_seconds(config) - processor_began;
    return result;
}

} // namespace

RunResult run_case(std::string_view lab, size_t index, const RunConfig& config) {
    return run_one(lab, index, false, config);
}

RunResult run_alone(std::string_view lab, const RunConfig& config) {
    return run_one(lab, every_case, false, config);
}

RunResult run_bench(std::string_view lab, const RunConfig& config) {
    RunConfig whole = config;
    if (config.gpu)
        whole.sms = 0;
    return run_one(lab, 0, true, whole);
}

std::vector<sim::machine::Schedule> schedules(size_t count, uint64_t seed) {
    using S = sim::machine::Schedule;
    std::vector<S> all{{S::Completion::lazy, S::Warps::round_robin, seed},
                       {S::Completion::eager, S::Warps::one_ahead, seed},
                       {S::Completion::random, S::Warps::random, seed},
                       {S::Completion::lazy, S::Warps::one_ahead, seed}};
    for (uint64_t i = 1; all.size() < count; ++i)
        all.push_back({S::Completion::random, S::Warps::random, seed + i});
    all.resize(count);
    return all;
}

} // namespace check
