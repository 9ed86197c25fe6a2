#include <algorithm>
#include <ranges>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "compile/compiler.h"
#include "runner/bench_device.h"
#include "runner/bench_labs.h"
#include "runner/bench_model.h"
#include "runner/command.h"
#include "runner/names.h"

namespace runner::bench_command {

using base::Problem, base::read_file, base::write_file;
using compile::Compiled, compile::Compiler, judge::Workers, judge::need_gpu;
namespace {

struct BenchArguments {
    std::vector<std::string> what;
    std::vector<std::string> files;
    std::string json, device, model;
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
        if (std::ranges::find(device_loops(), name, &DeviceLoop::name) == device_loops().end())
            throw Problem{fmt::format("the simulated device has no benchmark named {}", name),
                          fmt::format("choose from: {}",
                                      fmt::join(device_loops() | std::views::transform(&DeviceLoop::name), ", "))};
    for (const DeviceLoop& loop : device_loops()) {
        if (!chosen.empty() && std::ranges::find(chosen, loop.name) == chosen.end())
            continue;
        status.show(loop.name);
        const fs::path source = context.paths.root / "common/runner/bench" / (std::string(loop.name) + ".cu");
        const Compiled compiled = compiler.ptx(source, check::Target{int(loop.sm), true});
        if (!compiled)
            throw Problem{compiled.errors, "", 1};
        const std::string ptx = read_file(compiled.ptx.begin()->second);
        const double off = time_loop(loop, ptx, false), on = time_loop(loop, ptx, true);
        results[std::string(loop.name)] = {{"off", off}, {"on", on}};
        status.clear();
        if (arguments.json != "-")
            fmt::print("{:<16} {:6.1f} million thread-instructions per second, {:6.1f} with the hazard detector\n",
                       loop.name, off / 1e6, on / 1e6);
    }
    print_bench(arguments.json, results);
}

// An ordinary program: it needs nothing of ours but the parameters that it prints beside its measurements.
void bench_model(const Context& context, const BenchArguments& arguments) {
    const bool simulated = arguments.device == "sim";
    if (!simulated)
        need_gpu();
    const nlohmann::json model = sim::timeline::to_json(model_named(context.paths, arguments.model).model);
    std::string used;
    for (const auto& [name, value] : model.items())
        used += fmt::format("{}{}={}", used.empty() ? "" : ",", name, value.get<uint32_t>());
    std::vector<std::string> words{"lab",
                                   "run",
                                   (context.paths.root / "common/runner/bench/measure_model.cu").string(),
                                   "--device",
                                   simulated ? "sim" : "gpu",
                                   "--timeout",
                                   "0",
                                   "--",
                                   "--model",
                                   used};
    if (!arguments.json.empty())
        words.insert(words.end(), {"--json", arguments.json});
    if (simulated)
        words.emplace_back("--quick");
    std::vector<char*> raw;
    for (auto& word : words)
        raw.push_back(word.data());
    raw.push_back(nullptr);
    execv("/proc/self/exe", raw.data());
    throw Problem{"./lab cannot start itself", ""};
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
    for (const auto& file : arguments.files) {
        if (arguments.what.size() != 1)
            throw Problem{"--file needs the lab that the file is for", "./lab bench 03 --file " + file};
        if (!fs::is_regular_file(file))
            throw Problem{"there is no file " + file, "check the path after --file"};
        options.files.push_back(fs::canonical(file));
    }
    options.blocks_per_sm = arguments.blocks_per_sm;
    const NamedModel named = model_named(context.paths, arguments.model);
    options.model = named.model;
    options.variants = arguments.variants;
    if (arguments.device != "sim")
        options.gpu = need_gpu();
    const bool quiet = arguments.json == "-";
    if (!quiet && !options.gpu)
        fmt::print("{}\n{}\n", what_is_modelled, named.published ? remark_on(named, "") + "\n" : "");
    else if (!quiet)
        fmt::print(
            "{}, {} SMs, CUDA {}.{}; bytes read and written per second, of the GPU's own copy and of its memory's "
            "peak ({:.0f} GB/s). Products of matrices: operations per second, beside NVIDIA's cuBLAS if it is installed\n\n",
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
        "Labs, by default all; or 'device': the simulated device itself, all of its loops or those named; or 'model':\n"
        "the timing model's parameters on your GPU; or 'costs': what people wait for (./lab bench costs --help)");
    command.add_option("--file", arguments->files, "Another file instead of labs/…/kernel.cu, or several to compare")
        ->type_name("PATH");
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
    add_model(command, arguments->model);
    add_json(command, arguments->json, "The numbers");
    command.footer(
        "Each lab's synchronous version (solutions/…/synchronous.cu), plain loads where they would do (…/plain.cu),\n"
        "your version and the reference, with 1 GiB of input; the median of 31 runs after 5 to warm up, timed on the\n"
        "GPU. The exit code is 5 when there is no GPU.\n\n"
        "./lab bench costs [WHAT...] [--times N] [--record] compares what people wait for with the last record of\n"
        "this machine (docs/costs.md); --record appends one.");
    // For the suite (tests/runner/gpu_test.py): the first few variants of each lab show whether it can be measured.
    command.add_option("--variants", arguments->variants)->group("");
    command.callback([&context, arguments] {
        if (!arguments->what.empty() && arguments->what[0] == "device")
            bench_device(context, *arguments);
        else if (!arguments->what.empty() && arguments->what[0] == "model")
            bench_model(context, *arguments);
        else if (!arguments->what.empty() && arguments->what[0] == "costs")
            throw Problem{"costs are measured by ./lab in a tree of your own",
                          "clone the repository into a folder of your own and run ./lab bench costs there"};
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
    .words = "device model costs",
};

} // namespace runner::bench_command
