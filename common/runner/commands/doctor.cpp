#include <algorithm>
#include <regex>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/paths.h"
#include "compile/compiler.h"
#include "isolation/control_groups.h"
#include "isolation/device_box.h"
#include "process/process.h"
#include "runner/command.h"

namespace runner::doctor_command {

using base::Paths, base::write_file;
using compile::Compiled, compile::Compiler, compile::Toolchain;
namespace {

constexpr const char* probe = R"(#include <cstdio>
__global__ void probe(int* out) { out[threadIdx.x] = threadIdx.x; }
int main() {
    int *device, host[32];
    cudaMalloc(&device, sizeof host);
    probe<<<1, 32>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i)
        if (host[i] != i)
            return 1;
    return cudaGetLastError();
}
)";

nlohmann::json checks = nlohmann::json::array(); // for --json
bool as_json = false;

bool line(bool good, std::string_view what, std::string_view text, std::string_view next = {}) {
    checks.push_back({{"what", what}, {"good", good}, {"text", text}, {"next", good ? "" : next}});
    if (as_json)
        return good;
    fmt::print("{} {:<16} {}\n", good ? "✓" : "✗", what, text);
    if (!good && !next.empty())
        fmt::print("  next: {}\n", next);
    return good;
}

// What belongs together is together: labs and solutions, lists and folders (tests/tree_test.py).
bool tree_fits(const Paths& paths) {
    const fs::path script = paths.root / "tests/tree_test.py";
    if (!fs::exists(script)) // a partial checkout
        return true;
    process::Spawn spawn;
    spawn.arguments = {"python3", script.string()};
    process::Process test(spawn);
    if (test.finish() && test.status() == 0)
        return line(true, "tree check", "labs, solutions and tests agree");
    static const std::regex failure(R"(^(?:FAIL|ERROR): test_(\w+) \([^)]*\)(?: \[([^\]]*)\])?)");
    std::string failed;
    std::istringstream output(test.output());
    for (std::string text; std::getline(output, text);)
        if (std::smatch match; std::regex_search(text, match, failure)) {
            std::string rule = match[1];
            std::ranges::replace(rule, '_', ' ');
            failed +=
                (failed.empty() ? "" : "; ") + (match[2].length() ? match[2].str() + ": " : "") + "not so: " + rule;
        }
    return line(false, "tree check", failed.empty() ? test.output() : failed,
                "git status shows what has changed; ./lab reset LAB restores a kernel");
}

// What `./lab grade` can put students' programs into. None of it is needed for the labs.
void show_isolation() {
    const auto best = isolation::strongest();
    line(true, "isolation", fmt::format("grade uses {}", isolation::name(best)));
    if (as_json)
        return;
    for (const auto level : {isolation::Level::bubblewrap, isolation::Level::user, isolation::Level::landlock}) {
        const auto& reason = isolation::why_not(level);
        fmt::print("    {:<14} {}\n", isolation::name(level), reason.empty() ? "works" : reason);
    }
    const isolation::ControlGroups groups;
    fmt::print("    {:<14} {}\n", "control groups",
               groups.why_not().empty() ? fmt::format("work: {}", fmt::join(groups.layers(), ", ")) : groups.why_not());
    for (const auto& what : isolation::not_stopped(best))
        fmt::print("    {} does not stop: {}\n", isolation::name(best), what);
}

void examine(Context& context) {
    const Paths& paths = context.paths;
    const bool package = command_name() != "./lab";
    const char* again = package ? "pip install --force-reinstall asynclab" : "./lab clean, then ./lab";
    bool good = line(true, "tree", paths.root.string());
    if (paths.shared())
        line(true, "shared",
             fmt::format("{}: your labs are in {}, your progress in {}",
                         package ? "an installed package" : "somebody else's installation", paths.own.string(),
                         paths.state.string()));
    const Compiler compiler(paths);
    const Toolchain& chain = compiler.toolchain();
    good &= line(fs::exists(chain.nvcc), "nvcc", fmt::format("{} ({})", chain.nvcc, chain.version),
                 package ? "./lab looks for nvcc again when you start it the next time"
                         : "./lab clean --all, then ./lab: it looks for nvcc again");
    good &= line(true, "host compiler", chain.host_compiler);
    good &= line(fs::exists(paths.stub()), "checker's stub", paths.stub().string(), again);
    good &= line(fs::exists(paths.cudart() / "libcudart.so"), "CUDA runtime",
                 (paths.cudart() / "libcudart.so").string(), again);
    const fs::path folder = paths.state / "doctor";
    const fs::path source = folder / "probe.cu";
    write_file(source, probe);
    const Compiled compiled = compiler.program(source, "compute_90a", {});
    good &=
        line(static_cast<bool>(compiled), "compiling",
             compiled ? fmt::format("{:.1f} s", compiled.seconds) : compiled.errors, "the messages above are nvcc's");
    if (compiled) {
        process::Spawn spawn;
        spawn.arguments = {compiled.program.string()};
        spawn.environment = compiler.environment();
        process::Process process(spawn);
        const bool ran = process.finish() && process.status() == 0;
        good &= line(ran, "running",
                     ran ? "a kernel on the simulated device"
                         : process::describe_status(process.status()) + "\n" + process.output(),
                     package ? again : "./lab test says more");
    }
    std::error_code problem;
    fs::remove_all(folder, problem);
    good &= tree_fits(paths);
    const std::string& unboxed = isolation::why_no_device_box();
    good &= line(unboxed.empty(), "device's box",
                 unboxed.empty() ? fmt::format("at every level: {}", fmt::join(isolation::device_box_layers(), ", "))
                                 : unboxed,
                 "check and grade need it: the kernel, or the container around you, must allow seccomp filters");
    show_isolation();
    line(true, "machine", fmt::format("{} processors", std::thread::hardware_concurrency()));
    const bool gpu = fs::exists("/dev/nvidiactl");
    line(true, "GPU", gpu ? "present; the labs do not need it" : "none, and none is needed");
    if (as_json)
        fmt::print("{}\n", nlohmann::json{{"good", good}, {"found", checks}}.dump(2));
    context.exit_code = good ? 0 : 1;
}

void add(CLI::App& command, Context& context) {
    command.add_flag("--json", as_json, "As JSON");
    command.callback([&context] { examine(context); });
}

} // namespace

LAB_COMMAND = {
    .name = "doctor",
    .help = "Check the installation: compiler, runtime, a first kernel, the tree",
    .add = add,
};

} // namespace runner::doctor_command
