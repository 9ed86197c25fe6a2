#include "run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/process.h"
#include "sim/cuda/device/server.h"
#include "sim/cuda/device/service.h"
#include "sim/report/json.h"
#include "sim/report/text.h"

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

Run run(const std::string& program, const Schedule& schedule) {
    sim::machine::Options options;
    options.schedule = schedule;
    options.max_instructions = 20'000'000;
    static sim::ptx::Parsed parsed; // all programs are in one PTX text
    options.parsed = &parsed;
    sim::cuda::Service service(options);
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
        throw std::runtime_error("no socket pair");
    process::Spawn spawn;
    spawn.arguments = {HAZARD_PROGRAMS, program};
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
    }
    take_host_findings(result.output, result.findings);
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

std::string compare_with_expected(const std::string& name, const std::string& text) {
    const fs::path file = folder / "expected" / (name + ".txt");
    if (const char* bless = std::getenv("ASYNCLAB_BLESS"); bless && *bless) {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return {};
    }
    std::ifstream in(file);
    const std::string expected{std::istreambuf_iterator<char>(in), {}};
    if (expected == text)
        return {};
    return fmt::format("expected ({}):\n{}\nreported:\n{}\nIf the new text is right: ASYNCLAB_BLESS=1 ./lab test",
                       file.string(), expected, text);
}

std::vector<std::string> programs_in(const std::string& which) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder / which))
        if (entry.path().extension() == ".cu")
            names.push_back(which + "/" + entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> expected_rules(const std::string& program) {
    std::ifstream in(folder / (program + ".cu"));
    std::vector<std::string> rules;
    constexpr std::string_view mark = "// expect: ";
    for (std::string line; std::getline(in, line) && line.starts_with("//");)
        if (line.starts_with(mark))
            rules.push_back(line.substr(mark.size()));
    return rules;
}
