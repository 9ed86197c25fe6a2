#include "grader/result/result.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "check/fields.h"
#include "check/suite.h"
#include "grader/result/fields.h"

namespace grader {
namespace {

/// Points are whole numbers unless a person has given others.
struct AsPoints {
    nlohmann::json write(double points) const {
        if (points == std::floor(points))
            return static_cast<int64_t>(points);
        return points;
    }
    void read(const nlohmann::json& json, double& points) const { json.get_to(points); }
};

} // namespace
} // namespace grader

using namespace grader;

template <>
inline constexpr auto base::fields<Finding> = std::tuple_cat(base::fields<sim::hazards::Finding>,
                                                             std::tuple{Field{"todo", &Finding::todo, IfSet{}}});

template <>
inline constexpr auto base::fields<CaseRun> = std::tuple{
    Field{"message", &CaseRun::message},   Field{"call", &CaseRun::call},         Field{"findings", &CaseRun::findings},
    Field{"incomplete", &CaseRun::gaps},   Field{"executed", &CaseRun::executed}, Field{"output", &CaseRun::output},
    Field{"repeated", &CaseRun::repeated}, Field{"runs", &CaseRun::runs},         Field{"target", &CaseRun::target},
    Field{"device", &CaseRun::device},     Field{"schedule", &CaseRun::schedule}, Field{"seed", &CaseRun::seed},
};

template <>
inline constexpr auto base::fields<CaseResult> = std::tuple{
    Field{"name", &CaseResult::name},
    Field{"points", &CaseResult::points, AsPoints{}},
    Field{"earned", &CaseResult::earned, AsPoints{}},
    Field{"passed", &CaseResult::passed},
    Field{"verdict", &CaseResult::verdict},
    Field{"hidden", &CaseResult::hidden},
    Field{"run", &CaseResult::run, Among{}},
};

template <>
inline constexpr auto base::fields<HandedIn> = std::tuple{
    Field{"source", &HandedIn::source},
    Field{"path", &HandedIn::path},
    Field{"compile_errors", &HandedIn::compile_errors},
    Field{"gpu", &HandedIn::gpu},
    Field{"warnings", &HandedIn::warnings},
    Field{"notes", &HandedIn::notes},
    Field{"failing_schedules", &HandedIn::failing_schedules},
    Field{"constants", &HandedIn::constants, IfSet{}},
    Field{"over_budget", &HandedIn::over_budget, IfSet{}},
    Field{"untouched_todos", &HandedIn::untouched_todos},
};

template <>
inline constexpr auto base::fields<LabResult> = std::tuple{
    Field{"lab", &LabResult::lab},
    Field{"passed", &LabResult::passed},
    Field{"points", &LabResult::points, AsPoints{}},
    Field{"possible", &LabResult::possible, AsPoints{}},
    Field{"cases", &LabResult::cases},
    Field{"handed_in", &LabResult::handed_in, Among{}},
    Field{"weight", &LabResult::weight},
    Field{"due", &LabResult::due, written::AsTime{}},
    Field{"late_percent", &LabResult::late_percent},
    Field{"score", &LabResult::score},
    Field{"out_of", &LabResult::out_of},
};

template <>
inline constexpr auto base::fields<Taken> = std::tuple{
    Field{"seconds", &Taken::seconds},
    Field{"compile_seconds", &Taken::compile_seconds},
    Field{"processor_seconds", &Taken::processor_seconds},
    Field{"peak_bytes", &Taken::peak_bytes},
};

template <>
inline constexpr auto base::fields<Accounted> = std::tuple{
    Field{"measured", &Accounted::measured},
    Field{"why_not", &Accounted::why_not},
};

template <>
inline constexpr auto base::fields<isolation::Description> = std::tuple{
    Field{"level", &isolation::Description::level},
    Field{"layers", &isolation::Description::layers},
    Field{"not_stopped", &isolation::Description::not_stopped},
};

template <>
inline constexpr auto base::fields<judge::Budget> = std::tuple{
    Field{"seconds", &judge::Budget::wall},
    Field{"processor_seconds", &judge::Budget::processor},
};

template <>
inline constexpr auto base::fields<Result> = std::tuple{
    Field{"format", &Result::format},
    Field{"course", &Result::course},
    Field{"submission", &Result::submission},
    Field{"inputs", &Result::inputs},
    Field{"isolation", &Result::isolation},
    Field{"seed", &Result::seed},
    Field{"seed_policy", &Result::seed_policy},
    Field{"repeat_seed", &Result::repeat_seed},
    Field{"budget", &Result::budget},
    Field{"strict", &Result::strict},
    Field{"problems", &Result::problems},
    Field{"unrecognised", &Result::unrecognised, IfSet{}},
    Field{"labs", &Result::labs},
    Field{"submitted", &Result::submitted, written::AsTime{}},
    Field{"called_late", &Result::called_late, IfSet{}},
    Field{"score", &Result::score},
    Field{"possible", &Result::possible},
    Field{"timing", &Result::timing},
    Field{"students", &Result::students},
    Field{"accounting", &Result::accounting},
};

namespace grader {
namespace {

// Messages, findings and output name files by where they lay while being graded, which changes from run to run; so do
// the names of the compiler's own files.
void forget_paths(LabResult& lab, const std::filesystem::path& source) {
    base::each_text(lab, [&](std::string& text) {
        for (const auto& folder : {source.parent_path(), std::filesystem::path(base::shown(source.parent_path()))}) {
            const std::string near = folder.string() + "/", around = folder.parent_path().string();
            for (size_t at; (at = text.find(near)) != std::string::npos;)
                text.erase(at, near.size());
            for (size_t at; (at = text.find(around)) != std::string::npos;)
                text.replace(at, std::min(text.find_first_of(" :,;()'\"\n", at), text.size()) - at,
                             "(a temporary file)");
        }
    });
}

std::vector<Finding> findings(const std::vector<sim::hazards::Finding>& reported) {
    std::vector<Finding> all;
    for (const auto& one : reported)
        all.push_back({one, ""});
    return all;
}

CaseResult case_result(const judge::CaseReport& item, bool compiled) {
    const auto& result = item.result;
    CaseRun run{.message = result.message,
                .call = result.call,
                .findings = findings(result.findings),
                .gaps = result.gaps,
                .executed = item.executed,
                .output = result.output,
                .repeated = result.repeated,
                .runs = item.runs,
                .target = std::string(item.target.arch()),
                .device = item.gpu ? "gpu" : "sim",
                .schedule = sim::hazards::name(item.schedule.completion),
                .seed = item.schedule.seed};
    // Which limit a kernel that does not end reaches first, and where it is by then, differs from run to run.
    if (result.kernel_stopped) {
        run.gaps.reset();
        run.executed.reset();
        run.output.resize(std::min(run.output.find("asynclab: stopped"), run.output.size()));
        run.message = "a kernel was still running when the time for this case was up: does one of its loops not end?";
    }
    return {.name = item.info.name,
            .points = static_cast<double>(item.info.points),
            .earned = compiled ? static_cast<double>(item.earned) : 0,
            .passed = compiled && item.passed(),
            .verdict = compiled ? item.verdict() : check::Verdict::compile_error,
            .run = std::move(run)};
}

} // namespace

const std::string& CaseResult::message() const {
    static const std::string none;
    return run ? run->message : none;
}

const std::vector<Finding>& CaseResult::findings() const {
    static const std::vector<Finding> none;
    return run ? run->findings : none;
}

const Finding* CaseResult::error() const {
    const auto& all = findings();
    const auto first = std::ranges::find(all, sim::hazards::Severity::error, &Finding::severity);
    return first == all.end() ? nullptr : &*first;
}

const LabResult* Result::of(std::string_view lab) const {
    const auto found = std::ranges::find(labs, lab, &LabResult::lab);
    return found == labs.end() ? nullptr : &*found;
}

double rounded(double points) {
    return std::round(points * 1e6) / 1e6;
}

bool Result::undecided() const {
    return std::ranges::any_of(labs, [&](const auto& lab) { return undecided(lab); });
}

void Result::add_up() {
    double sum = 0, most = 0;
    for (const auto& lab : labs) {
        sum += lab.score;
        most += lab.out_of;
    }
    score = rounded(sum);
    possible = rounded(most);
}

Result read_result(const std::filesystem::path& file) {
    try {
        const auto json = nlohmann::json::parse(base::read_file(file));
        if (json.at("format") != format_version)
            throw base::Problem{file.string() + " was made by another version of asynclab", "grade again"};
        return base::from_json<Result>(json);
    } catch (const nlohmann::json::exception&) {
    } catch (const std::out_of_range&) { // a name that nothing has
    }
    throw base::Problem{file.string() + " is damaged, or no result of ./lab grade", "remove it and grade again"};
}

void write_result(const std::filesystem::path& file, const Result& result) {
    base::write_file(file, base::to_json(result).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

LabResult lab_result(const judge::LabReport& report, const std::filesystem::path& source, Taken& timing) {
    timing = {report.seconds, report.compile_seconds, report.processor_seconds, {}};
    LabResult lab{.lab = report.lab,
                  .passed = report.passed(),
                  .points = static_cast<double>(report.points),
                  .possible = static_cast<double>(report.possible),
                  .handed_in = HandedIn{.compile_errors = report.compile_errors,
                                        .gpu = report.gpu,
                                        .warnings = findings(report.warnings),
                                        .notes = findings(report.notes),
                                        .failing_schedules = report.failing_schedules,
                                        .constants = report.constants,
                                        .over_budget = report.over_budget}};
    for (const auto& item : report.cases)
        lab.cases.push_back(case_result(item, report.compile_errors.empty()));
    forget_paths(lab, source);
    return lab;
}

LabResult missing(const check::ListedLab& lab) {
    LabResult result{.lab = std::string(lab.name)};
    for (const auto& item : check::cases(lab.name)) {
        result.possible += item.points;
        result.cases.push_back({.name = item.name, .points = static_cast<double>(item.points)});
    }
    return result;
}

} // namespace grader
