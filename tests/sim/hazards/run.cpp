#include "run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/changes.h"
#include "base/files.h"
#include "base/text.h"
#include "process/process.h"
#include "sim/cuda/device/server.h"
#include "sim/cuda/device/service.h"
#include "sim/report/json.h"
#include "sim/report/text.h"
#include "sources.h"

namespace fs = std::filesystem;
using sim::hazards::Severity;
using sim::machine::Schedule;

namespace {

const fs::path folder = HAZARD_TESTS;

// Host findings as sim/cuda prints them: "asynclab: error [rule]: message", and the lines that follow.
void take_host_findings(const std::string& output, std::vector<Reported>& findings) {
    static const std::regex head(R"(^asynclab: (error|note) \[([a-z-]+)\]: (.*)$)");
    std::istringstream lines(output);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_match(line, match, head)) {
            findings.push_back({match[2], match[1] == "note" ? Severity::note : Severity::error, line + "\n", {}, 0});
            inside = true;
        } else if (inside && line.starts_with("  ")) {
            findings.back().text += line + "\n";
        } else {
            inside = false;
        }
    }
}

// Places in shared memory are the compiler's choice.
std::string without_addresses(const std::string& text) {
    static const std::regex address(R"((address )(0x[0-9a-f]+|-?\d+)|(at )(0x[0-9a-f]{8,}))");
    return std::regex_replace(text, address, "$1$3…");
}

} // namespace

std::string Run::text() const {
    std::string all;
    for (const auto& finding : findings)
        all += finding.text + "\n";
    return without_addresses(all);
}

bool Run::has(const std::string& rule) const {
    return std::any_of(findings.begin(), findings.end(), [&](const auto& finding) { return finding.rule == rule; });
}

size_t Run::errors() const {
    return size_t(std::count_if(findings.begin(), findings.end(), [](const auto& finding) { return !finding.note(); }));
}

namespace {

bool is_for_blackwell(const std::string& program) {
    static std::map<std::string, bool> known;
    const auto [entry, added] = known.try_emplace(program);
    for (const fs::path& home : {folder, fs::path(HAZARD_MADE), fs::path(HAZARD_MADE).parent_path() / "examples"})
        if (const fs::path file = home / (program + ".cu"); added && fs::exists(file))
            entry->second = needs_blackwell(base::read_file(file));
    return entry->second;
}

Run once(const std::string& program, sim::machine::Options options) {
    options.max_instructions = 20'000'000;
    const bool blackwell = is_for_blackwell(program);
    if (blackwell)
        options.properties = sim::machine::properties_of(100);
    static sim::ptx::Parsed parsed; // all programs are in one PTX text
    options.parsed = &parsed;
    sim::cuda::Service service(std::move(options));
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
        throw std::runtime_error("no socket pair");
    process::Spawn spawn;
    spawn.arguments = {blackwell ? BLACKWELL_PROGRAMS : HAZARD_PROGRAMS, program};
    spawn.environment = {{"ASYNCLAB_DEVICE", "fd:3"}};
    spawn.descriptors = {{3, sockets[1]}};
    spawn.limits.wall = std::chrono::seconds(60);
    process::Process process(spawn);
    close(sockets[1]);
    sim::cuda::serve(service, sockets[0]);
    service.drain();
    close(sockets[0]);
    process.finish();

    Run result;
    result.output = process.output();
    result.ending = process::describe_status(process.status());
    for (const auto& finding : sim::hazards::reported(service.gpu().reporter())) {
        const std::string& file = finding.first.file;
        const auto base = file.find("/examples/") != std::string::npos ? fs::path(file).parent_path() : folder;
        result.findings.push_back({sim::hazards::rule_name(finding), finding.severity,
                                   text(finding, {.colour = false, .base = base, .again = {}}), file,
                                   finding.first.line});
        for (const auto& other : finding.others)
            if (other.line && other.file == file)
                result.findings.back().others.push_back(other.line);
    }
    take_host_findings(result.output, result.findings);
    const sim::protocol::Summary protocol = service.gpu().protocol();
    result.not_all = protocol.not_all;
    result.order = protocol.order;
    result.wrong = protocol.wrong;
    return result;
}

} // namespace

Run replay(const std::string& program, std::shared_ptr<const sim::events::ReplayedOrder> order) {
    sim::machine::Options options;
    options.schedule.completion = Schedule::Completion::eager;
    options.replay = std::move(order);
    return once(program, std::move(options));
}

Run run_on_cores(const std::string& program, uint32_t cores) {
    sim::machine::Options options;
    options.protocol = true;
    options.cores = cores;
    options.undivided = 0;
    options.alone = 1;
    return once(program, std::move(options));
}

Run run(const std::string& program, const Schedule& schedule) {
    sim::machine::Options options;
    options.schedule = schedule;
    options.protocol = schedule.completion == Schedule::Completion::lazy;
    Run result = once(program, std::move(options));
    if (!result.order || result.wrong)
        return result;
    Run other = replay(program, result.order);
    for (Reported& finding : other.findings)
        if (std::ranges::none_of(result.findings, [&](const Reported& known) {
                return known.rule == finding.rule && known.line == finding.line;
            }))
            result.findings.push_back(std::move(finding));
    if (other.ending != result.ending)
        result.ending += ", replayed: " + other.ending;
    return result;
}

std::vector<Schedule> all_schedules() {
    using C = Schedule::Completion;
    using W = Schedule::Warps;
    return {{C::lazy, W::round_robin, 1},
            {C::eager, W::one_ahead, 1},
            {C::random, W::random, 1},
            {C::random, W::random, 2}};
}

namespace {

const fs::path reports_file = folder / "reports";
constexpr std::string_view entry_begin = "== ";

std::map<std::string, std::string> all_reports() {
    std::map<std::string, std::string> entries;
    std::string* entry = nullptr;
    const std::string text = base::read_file(reports_file);
    for (const std::string_view line : base::lines_of(text))
        if (line.starts_with(entry_begin))
            entry = &entries[std::string(line.substr(entry_begin.size()))];
        else if (entry)
            (*entry += line) += '\n';
    for (auto& [name, report] : entries)
        report = base::trimmed(report);
    return entries;
}

} // namespace

std::string compare_with_report(const std::string& name, const std::string& text) {
    auto entries = all_reports();
    const std::string now(base::trimmed(text));
    std::string& expected = entries[name];
    if (expected == now)
        return {};
    if (const char* bless = std::getenv("ASYNCLAB_BLESS"); bless && *bless) {
        expected = now;
        std::string all;
        for (const auto& [of, report] : entries)
            all += fmt::format("{}{}{}\n{}\n", all.empty() ? "" : "\n", entry_begin, of, report);
        base::write_file(reports_file, all);
        return {};
    }
    return fmt::format(
        "expected ({}):\n{}\n\nreported:\n{}\n\nIf the new text is right: ASYNCLAB_BLESS=1 ./lab test hazards",
        reports_file.string(), expected, now);
}

std::vector<std::string> reports() {
    std::vector<std::string> names;
    for (const auto& [name, report] : all_reports())
        names.push_back(name);
    return names;
}
