#include <atomic>
#include <cstring>

#include "sim/async/tensor_map.h"
#include "sim/device/device.h"
#include "sim/machine/program.h"
#include "targets.h"

namespace sim::fuzz {
namespace {

using namespace machine;

constexpr uint64_t buffer_bytes = 64 << 10;

/// Pointers to a buffer, tensor maps of it, and small numbers, by the parameters' sizes.
std::vector<std::byte> parameters_of(const Kernel& kernel, uint64_t buffer) {
    std::vector<std::byte> bytes(kernel.parameter_bytes);
    async::TensorMap map;
    map.address = buffer;
    map.rank = 2;
    map.type = async::ElementType::f32;
    map.dim = {64, 64, 1, 1, 1};
    map.stride = {256, 0, 0, 0};
    map.box = {16, 8, 1, 1, 1};
    const auto image = map.pack();
    for (const ptx::Parameter& parameter : kernel.function->params) {
        const uint32_t number = 64;
        std::byte* const at = bytes.data() + parameter.offset;
        if (parameter.bytes == 128)
            std::memcpy(at, image.data(), image.size());
        else if (parameter.bytes >= 8)
            std::memcpy(at, &buffer, 8);
        else
            std::memcpy(at, &number, parameter.bytes);
    }
    return bytes;
}

void launch(Device& gpu, const Kernel& kernel, uint64_t buffer, uint64_t round) {
    LaunchConfig config;
    config.grid = {2, 1, 1};
    config.cluster = {round % 2 ? 2u : 1u, 1, 1};
    config.block = {std::min(round % 3 ? 64u : 160u, kernel.max_threads), 1, 1};
    config.dynamic_shared = 16 << 10;
    const uint32_t shared = kernel.static_shared + config.dynamic_shared;
    if (shared > gpu.properties().shared_per_block_optin || kernel.parameter_bytes > 4352 || !config.block.x)
        return;
    if (!gpu.begin(kernel, config, parameters_of(kernel, buffer), {}, round))
        return;
    for (Pause pause; (pause = gpu.advance()) != Pause::ended;)
        if (pause == Pause::stalled)
            gpu.give_up();
    gpu.take_ended();
}

} // namespace

bool run(std::string_view ptx) {
    using Completion = Schedule::Completion;
    using Warps = Schedule::Warps;
    constexpr Schedule schedules[] = {{Completion::lazy, Warps::round_robin, 1},
                                      {Completion::random, Warps::random, 2}};
    bool accepted = false;
    for (const Schedule& schedule : schedules) {
        Options options;
        options.properties.total_memory = 256 << 20;
        options.schedule = schedule;
        options.max_instructions = 200'000;
        options.output = [](std::string_view) {};
        Device gpu(options);
        try {
            LoadedModule& module = gpu.load(ptx);
            const uint64_t buffer = gpu.allocate(buffer_bytes);
            if (!buffer)
                return false;
            gpu.fill(buffer, 0, 4, buffer_bytes / 4, {}, "cudaMemset");
            uint64_t round = 0;
            for (const auto& function : module.ptx().functions)
                if (function->is_entry && ++round < 8)
                    launch(gpu, gpu.kernel(module, function->name), buffer, round);
            gpu.gaps();
            accepted = true;
        } catch (const ptx::ParseError&) {
            return false;
        }
    }
    return accepted;
}

} // namespace sim::fuzz
