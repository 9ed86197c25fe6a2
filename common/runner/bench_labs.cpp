#include "runner/bench_labs.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "base/paths.h"
#include "base/problem.h"
#include "judge/skeleton.h"
#include "runner/bench_model.h"

namespace runner {

using base::Paths, base::Problem, base::shown;
using judge::CaseReport, judge::CheckOptions, compile::Compiled, compile::Compiler, judge::LabReport, judge::Task,
    judge::Where, judge::Workers, judge::check_lab, judge::runs;

namespace {

struct Version {
    std::string name;
    fs::path source;
    bool students = false;
};

std::vector<BenchRow> measure(Workers& workers, const Compiler& compiler, const Compiled& compiled,
                              const check::ListedLab& lab, const check::Target& target, const Version& version,
                              uint32_t blocks_per_sm, double peak, double& copy) {
    Task task;
    task.lab = lab.name;
    task.bench = true;
    task.config = compiler.run_config(compiled, target);
    task.config.gpu = true;
    task.config.blocks_per_sm = blocks_per_sm;
    task.config.timeout = std::chrono::seconds(60);
    check::RunResult result;
    workers.run(
        {task}, [](size_t) { return true; }, [&](size_t, check::RunResult done) { result = std::move(done); });
    std::vector<BenchRow> rows;
    const auto row = [&]() -> BenchRow& {
        rows.push_back({.version = version.name, .blocks_per_sm = blocks_per_sm});
        return rows.back();
    };
    for (const auto& one : result.measured) {
        if (&one == &result.measured.front()) {
            copy = one.seconds > 0 ? static_cast<double>(one.bytes) / one.seconds : 0;
            continue;
        }
        BenchRow& made = row();
        made.variant = one.variant;
        made.bytes = one.bytes;
        made.seconds = one.seconds;
        made.operations = one.operations;
        made.library = one.library;
        made.of_copy = copy > 0 ? made.bandwidth() / copy : 0;
        made.of_peak = peak > 0 ? made.bandwidth() / peak : 0;
    }
    if (result.verdict != check::Verdict::passed)
        row().problem = result.message.empty() ? std::string(check::name(result.verdict)) : result.message;
    return rows;
}

// A kernel with a block for each tile: the model, which follows one block, says nothing of its speed.
constexpr const char* plain = "plain";

// Against the synchronous version with the same variant and as many blocks.
void compare(std::vector<BenchRow>& rows) {
    for (BenchRow& row : rows)
        for (const BenchRow& other : rows)
            if (other.version == "synchronous" && other.variant == row.variant &&
                other.blocks_per_sm == row.blocks_per_sm) {
                row.speedup = row.seconds > 0 ? other.seconds / row.seconds : 0;
                row.modelled = row.cycles > 0 ? other.cycles / row.cycles : 0;
            }
}

bool has_right_results(const Compiler& compiler, Workers& workers, const check::ListedLab& lab, const Version& version,
                       const BenchOptions& options, const compile::Ticker& ticker) {
    CheckOptions check;
    check.where = options.gpu ? Where::gpu : Where::simulated;
    check.gpu = options.gpu;
    check.schedules = 1;
    const LabReport report = check_lab(compiler, workers, lab, version.source, check, ticker);
    return std::ranges::all_of(report.cases, [](const CaseReport& item) {
        const check::Verdict verdict = item.result.verdict;
        return item.passed() || verdict == check::Verdict::mechanism || verdict == check::Verdict::unearned;
    });
}

// One row with the reason where there is nothing to measure.
std::vector<BenchRow> bench_version(const Compiler& compiler, Workers& workers, const Paths& paths,
                                    const check::ListedLab& lab, const Version& version, const BenchOptions& options,
                                    double& copy, const compile::Ticker& ticker) {
    const auto problem = [&](const std::string& why) {
        return std::vector<BenchRow>{
            {.version = version.name, .blocks_per_sm = options.blocks_per_sm.front(), .problem = why}};
    };
    if (!fs::exists(version.source))
        return problem("there is no file " + shown(version.source));
    const Compiled compiled = compiler.lab(version.source, lab.lab->targets, ticker);
    if (!compiled)
        return problem("it does not compile");
    // A wrong kernel is easily fast. The other versions are ours, and the suite checks them.
    if (version.students && judge::skeleton(paths, lab.name).text == base::read_file(version.source))
        return problem(
            fmt::format("the file is as it was published: labs/{}/README.md says what to fill in", lab.name));
    if (version.students && !has_right_results(compiler, workers, lab, version, options, ticker))
        return problem(fmt::format("its results are wrong: ./lab check {}", lab.name.substr(0, 2)));
    std::vector<BenchRow> all;
    if (!options.gpu) {
        try {
            for (const auto& [variant, cycles] :
                 modelled_cycles(compiler, compiled, lab, options.model, options.variants))
                all.push_back({.version = version.name,
                               .variant = variant,
                               .blocks_per_sm = 1,
                               .cycles = static_cast<double>(cycles)});
        } catch (const Problem& why) {
            return problem(why.what);
        }
    }
    for (const uint32_t blocks : options.gpu ? options.blocks_per_sm : std::vector<uint32_t>{}) {
        auto rows = measure(workers, compiler, compiled, lab, lab.lab->targets.back(), version, blocks,
                            options.gpu->peak_bandwidth, copy);
        if (blocks == 1 && version.name != plain)
            for (const auto& [variant, cycles] : modelled_cycles(compiler, compiled, lab, options.model))
                for (BenchRow& row : rows)
                    if (row.variant == variant)
                        row.cycles = static_cast<double>(cycles);
        all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
}

} // namespace

LabBench bench_lab(const Compiler& compiler, Workers& workers, const Paths& paths, const check::ListedLab& lab,
                   const BenchOptions& options, const std::function<void(std::string_view)>& progress) {
    LabBench bench;
    bench.lab = lab.name;
    bench.possible = options.gpu ? lab.lab->speed.points : 0;
    std::vector<Version> versions;
    const fs::path solution = paths.solution(lab.name), solutions = solution.parent_path();
    for (const char* name : {plain, "synchronous"})
        if (const fs::path source = solutions / (name + std::string(".cu"));
            (options.gpu || name != plain) && fs::exists(source))
            versions.push_back({name, source});
    if (options.files.empty())
        versions.push_back({"yours", paths.source(lab.name), true});
    for (const fs::path& file : options.files)
        versions.push_back({options.files.size() == 1 ? "yours" : shown(file), file, true});
    const std::string yours = versions.back().name;
    versions.push_back({"reference", solution});
    const check::Target target = lab.lab->targets.back();
    if (options.gpu && !runs(*options.gpu, target)) {
        bench.rows.push_back(
            {.version = "reference", .problem = fmt::format("made for {}, which this GPU cannot run", target.arch())});
        return bench;
    }
    for (const Version& version : versions) {
        progress(version.name);
        const auto ticker = [&](std::string_view what) { progress(fmt::format("{}: {}", version.name, what)); };
        const auto rows = bench_version(compiler, workers, paths, lab, version, options, bench.copy, ticker);
        bench.rows.insert(bench.rows.end(), rows.begin(), rows.end());
    }
    compare(bench.rows);
    for (const BenchRow& row : bench.rows)
        if (row.version == yours && row.blocks_per_sm == 1 && bench.possible && row.speedup >= lab.lab->speed.ratio)
            bench.points = bench.possible;
    return bench;
}

} // namespace runner
