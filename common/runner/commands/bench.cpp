#include <cstring>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runner/command.h"
#include "runner/compile.h"
#include "sim/machine/gpu.h"

namespace runner {
namespace {

struct Benchmark {
    const char* name;
    sim::machine::LaunchConfig config;
    uint32_t n; ///< the kernel's second parameter
};

// bench/NAME.cu has one kernel, `extern "C" __global__ void bench(uint32_t* data, uint32_t n)`.
constexpr uint64_t data_bytes = 4 << 20;
const std::vector<Benchmark> benchmarks{
    {"alu", {{8, 1, 1}, {256, 1, 1}}, 2000},
    {"shared_barrier", {{8, 1, 1}, {256, 1, 1}}, 400},
    {"ring", {{8, 1, 1}, {288, 1, 1}}, 400},
};

// The device runs a kernel on the calling thread. Its processor time, unlike the clock on the wall, does not depend on
// what else the machine is doing.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Thread-instructions per second: the best of several launches.
double measure(const std::string& ptx, const Benchmark& benchmark, bool detect) {
    sim::machine::Options options;
    options.detect = detect;
    sim::machine::Gpu gpu(options);
    auto& module = gpu.load(ptx);
    const auto kernel = gpu.kernel(module, "bench");
    if (!kernel.function)
        throw Problem{fmt::format("bench/{}.cu has no kernel named bench", benchmark.name), ""};
    const uint64_t data = gpu.allocate(data_bytes);
    gpu.fill(data, 1, 4, data_bytes / 4, {}, "bench");
    std::vector<std::byte> parameters(kernel.parameter_bytes);
    std::memcpy(parameters.data(), &data, 8);
    std::memcpy(parameters.data() + 8, &benchmark.n, 4);
    double best = 0;
    for (int i = 0; i < 3; ++i) {
        const double began = cpu_seconds();
        const auto outcome = gpu.launch(kernel, benchmark.config, parameters, {});
        const double seconds = cpu_seconds() - began;
        if (!outcome)
            throw Problem{fmt::format("benchmark {} failed: {}", benchmark.name, outcome.message), "", 1};
        best = std::max(best, static_cast<double>(gpu.statistics().thread_instructions) / seconds);
    }
    return best;
}

} // namespace

void add_bench(CLI::App& app, Context& context) {
    auto what = std::make_shared<std::string>("device");
    auto json = std::make_shared<std::string>();
    auto* command = app.add_subcommand("bench", "Measure how fast the simulated device is");
    command->add_option("WHAT", *what)->check(CLI::IsMember({"device"}));
    command->add_option("--json", *json, "Write the numbers to a file, or to stdout with -")->type_name("FILE");
    command->callback([&context, json] {
        const Compiler compiler(context.paths);
        nlohmann::json results = nlohmann::json::object();
        StatusLine status;
        for (const auto& benchmark : benchmarks) {
            status.show(benchmark.name);
            const fs::path source = context.paths.root / "common/runner/bench" / (std::string(benchmark.name) + ".cu");
            const Compiled compiled = compiler.ptx(source, check::sm_90);
            if (!compiled)
                throw Problem{compiled.errors, "", 1};
            const std::string ptx = read_file(compiled.ptx.begin()->second);
            const double off = measure(ptx, benchmark, false), on = measure(ptx, benchmark, true);
            results[benchmark.name] = {{"off", off}, {"on", on}};
            status.clear();
            if (*json != "-")
                fmt::print("{:<16} {:6.1f} million thread-instructions per second, {:6.1f} with the hazard detector\n",
                           benchmark.name, off / 1e6, on / 1e6);
        }
        if (*json == "-")
            fmt::print("{}\n", results.dump(2));
        else if (!json->empty())
            write_file(*json, results.dump(2) + "\n");
    });
}

} // namespace runner
