#include "runner/bench_device.h"

#include <algorithm>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "base/problem.h"

namespace runner {

using base::Problem;

namespace {

constexpr uint64_t data_bytes = 4 << 20;

// The device runs a kernel on the calling thread. Its processor time, unlike wall-clock time, does not depend on the
// machine's other work.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

} // namespace

const std::vector<DeviceLoop>& device_loops() {
    static const std::vector<DeviceLoop> loops{
        {"alu", {{8, 1, 1}, {256, 1, 1}}, 2000},     {"shared_barrier", {{8, 1, 1}, {256, 1, 1}}, 400},
        {"ring", {{8, 1, 1}, {288, 1, 1}}, 400},     {"cluster_ring", {{8, 1, 1}, {288, 1, 1}, {2, 1, 1}}, 400},
        {"stencil_2d", {{4, 4, 1}, {32, 8, 1}}, 40}, {"block_sort", {{8, 1, 1}, {128, 1, 1}}, 20},
        {"gemm", {{8, 1, 1}, {128, 1, 1}}, 100},     {"tcgen05", {{8, 1, 1}, {128, 1, 1}}, 40, 100},
    };
    return loops;
}

double time_loop(const DeviceLoop& loop, const std::string& ptx, bool detect, int launches) {
    sim::machine::Options options;
    options.properties = sim::machine::properties_of(loop.sm);
    options.detect = detect;
    sim::Device gpu(options);
    auto& module = gpu.load(ptx);
    const auto kernel = gpu.kernel(module, "bench");
    if (!kernel.function)
        throw Problem{fmt::format("bench/{}.cu has no kernel named bench", loop.name), ""};
    const uint64_t data = gpu.allocate(data_bytes);
    gpu.fill(data, 0x3f803f80, 4, data_bytes / 4, {}, "bench"); // two bfloat16 of 1.0
    std::vector<std::byte> parameters(kernel.parameter_bytes);
    std::memcpy(parameters.data(), &data, 8);
    std::memcpy(parameters.data() + 8, &loop.n, 4);
    double best = 0;
    for (int i = 0; i < launches; ++i) {
        const double began = cpu_seconds();
        const auto outcome = gpu.launch(kernel, loop.config, parameters, {});
        const double seconds = cpu_seconds() - began;
        if (!outcome)
            throw Problem{fmt::format("benchmark {} failed: {}", loop.name, outcome.message), "", 1};
        best = std::max(best, static_cast<double>(gpu.statistics().thread_instructions) / seconds);
    }
    return best;
}

} // namespace runner
