#include <algorithm>
#include <cstring>
#include <ctime>
#include <ranges>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/problem.h"
#include "judge/compile.h"
#include "runner/bench_labs.h"
#include "runner/command.h"
#include "runner/names.h"
#include "sim/device/device.h"

namespace runner::bench_command {

using base::Problem, base::read_file, base::write_file;
using judge::Compiled, judge::Compiler, judge::Workers, judge::need_gpu;
namespace {

struct Benchmark {
    std::string_view name;
    sim::machine::LaunchConfig config;
    uint32_t n; ///< the kernel's second parameter
};

// bench/NAME.cu has one kernel, `extern "C" __global__ void bench(uint32_t* data, uint32_t n)`.
constexpr uint64_t data_bytes = 4 << 20;
const std::vector<Benchmark> benchmarks{
    {"alu", {{8, 1, 1}, {256, 1, 1}}, 2000},     {"shared_barrier", {{8, 1, 1}, {256, 1, 1}}, 400},
    {"ring", {{8, 1, 1}, {288, 1, 1}}, 400},     {"cluster_ring", {{8, 1, 1}, {288, 1, 1}, {2, 1, 1}}, 400},
    {"stencil_2d", {{4, 4, 1}, {32, 8, 1}}, 40}, {"block_sort", {{8, 1, 1}, {128, 1, 1}}, 20},
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
    sim::Device gpu(options);
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

struct BenchArguments {
    std::vector<std::string> what;
    std::string json, file, device;
    std::vector<uint32_t> blocks_per_sm{0, 1};
    size_t variants = SIZE_MAX;
};

void print_bench(const std::string& file, const nlohmann::json& results) {
    if (file == "-")
        fmt::print("{}\n", results.dump(2));
    else if (!file.empty())
        write_file(file, results.dump(2) + "\n");
}

void bench_device(const Context& context, const BenchArguments& arguments) {
    const Compiler compiler(context.paths);
    nlohmann::json results = nlohmann::json::object();
    StatusLine status;
    const std::span chosen(arguments.what.begin() + 1, arguments.what.end());
    for (const auto& name : chosen)
        if (std::ranges::find(benchmarks, name, &Benchmark::name) == benchmarks.end())
            throw Problem{
                fmt::format("the simulated device has no benchmark named {}", name),
                fmt::format("choose from: {}", fmt::join(benchmarks | std::views::transform(&Benchmark::name), ", "))};
    for (const auto& benchmark : benchmarks) {
        if (!chosen.empty() && std::ranges::find(chosen, benchmark.name) == chosen.end())
            continue;
        status.show(benchmark.name);
        const fs::path source = context.paths.root / "common/runner/bench" / (std::string(benchmark.name) + ".cu");
        const Compiled compiled = compiler.ptx(source, check::sm_90a);
        if (!compiled)
            throw Problem{compiled.errors, "", 1};
        const std::string ptx = read_file(compiled.ptx.begin()->second);
        const double off = measure(ptx, benchmark, false), on = measure(ptx, benchmark, true);
        results[std::string(benchmark.name)] = {{"off", off}, {"on", on}};
        status.clear();
        if (arguments.json != "-")
            fmt::print("{:<16} {:6.1f} million thread-instructions per second, {:6.1f} with the hazard detector\n",
                       benchmark.name, off / 1e6, on / 1e6);
    }
    print_bench(arguments.json, results);
}

constexpr std::string_view what_is_modelled =
    "Speed relative to the synchronous version, at one block per SM, as the timing model predicts it";

void bench_labs(Context& context, const BenchArguments& arguments) {
    std::vector<const check::ListedLab*> labs;
    for (const auto& name : arguments.what) {
        labs.push_back(&find_whole_lab(name));
        if (!check::has_bench(labs.back()->name))
            throw Problem{fmt::format("lab {} is not about speed on the GPU, so there is nothing to measure",
                                      number_of(labs.back()->name)),
                          "./lab bench measures those that are"};
    }
    if (labs.empty())
        for (const auto& lab : check::labs())
            if (check::has_bench(lab.name))
                labs.push_back(&lab);
    BenchOptions options;
    if (!arguments.file.empty()) {
        if (arguments.what.size() != 1)
            throw Problem{"--file needs the lab that the file is for", "./lab bench 03 --file " + arguments.file};
        if (!fs::is_regular_file(arguments.file))
            throw Problem{"there is no file " + arguments.file, "check the path after --file"};
        options.file = fs::canonical(arguments.file);
    }
    options.blocks_per_sm = arguments.blocks_per_sm;
    options.variants = arguments.variants;
    if (arguments.device != "sim")
        options.gpu = need_gpu();
    const bool quiet = arguments.json == "-";
    if (!quiet && !options.gpu)
        fmt::print("{}\n\n", what_is_modelled);
    else if (!quiet)
        fmt::print(
            "{}, {} SMs, CUDA {}.{}; bytes read and written per second, of the GPU's own copy and of its memory's "
            "peak ({:.0f} GB/s)\n\n",
            options.gpu->name, options.gpu->sm_count, options.gpu->cuda / 1000, options.gpu->cuda % 1000 / 10,
            options.gpu->peak_bandwidth / 1e9);
    Workers workers(4);
    const Compiler compiler(context.paths);
    nlohmann::json all = nlohmann::json::array();
    for (const auto* lab : labs) {
        LabBench bench;
        {
            StatusLine status(number_of(lab->name));
            bench = bench_lab(compiler, workers, context.paths, *lab, options,
                              [&](std::string_view what) { status.show(what); });
        }
        if (!quiet)
            fmt::print("{}\n", text(bench, *lab->lab, context.colour));
        std::fflush(stdout);
        all.push_back(to_json(bench));
    }
    nlohmann::json results{{"labs", all}, {"gpu", nullptr}};
    if (options.gpu)
        results.update({{"gpu", options.gpu->name},
                        {"cuda", options.gpu->cuda},
                        {"sms", options.gpu->sm_count},
                        {"peak_bytes_per_second", options.gpu->peak_bandwidth}});
    print_bench(arguments.json, results);
}

void add(CLI::App& command, Context& context) {
    auto arguments = std::make_shared<BenchArguments>();
    command.add_option(
        "WHAT", arguments->what,
        "Labs, by default all; or 'device': the simulated device itself, all of its loops or those named");
    command.add_option("--file", arguments->file, "Another file instead of labs/…/kernel.cu")->type_name("PATH");
    command
        .add_option("--blocks-per-sm", arguments->blocks_per_sm,
                    "Blocks on an SM at once; 0: as many as fit; 0,1: both")
        ->delimiter(',')
        ->check(CLI::Range(0, 32))
        ->capture_default_str();
    command
        .add_option("--device", arguments->device,
                    "gpu: measure on the GPU; sim: show what the timing model of ./lab trace predicts")
        ->envname("LAB_DEVICE")
        ->check(CLI::IsMember({"sim", "gpu"}));
    add_json(command, arguments->json, "The numbers");
    command.footer(
        "Each lab's synchronous version (solutions/…/synchronous.cu), your version and the reference, with 1 GiB\n"
        "of input; the median of 31 runs after 5 to warm up, timed on the GPU. The exit code is 5 when there is\n"
        "no GPU.");
    // For the suite (tests/runner/gpu_test.py): the first few variants of each lab say whether it can be measured.
    command.add_option("--variants", arguments->variants)->group("");
    command.callback([&context, arguments] {
        if (!arguments->what.empty() && arguments->what[0] == "device")
            bench_device(context, *arguments);
        else
            bench_labs(context, *arguments);
    });
}

} // namespace

LAB_COMMAND = {
    .name = "bench",
    .help = "Measure labs on a GPU, or how fast the simulated device is",
    .add = add,
    .completion = Completion::words,
    .words = "device",
};

} // namespace runner::bench_command
