// Launches that one process executes, and several.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/device/device.h"
#include "sim/machine/progress.h"
#include "sim/report/text.h"

namespace sim::machine {

inline constexpr uint32_t block_count = 64, block_threads = 64, all_words = block_count * block_threads;

/// A kernel that finds two buffers of `all_words` words in %rd1 and %rd2, its own word of them in %rd3 and %rd4, %tid.x
/// in %r1, %ctaid.x in %r2 and the number of its thread in %r3.
inline std::string kernel_of_parts(const std::string& name, const std::string& body) {
    return ".visible .entry " + name + R"((.param .u64 first, .param .u64 second)
{
    .reg .pred %p<8>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<8>;
    .reg .f32 %f<4>;
    .reg .f64 %fd<4>;
    .shared .align 8 .b8 own[1024];
    ld.param.u64 %rd1, [first];
    ld.param.u64 %rd2, [second];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r3, %r2, %r4, %r1;
    mad.wide.u32 %rd3, %r3, 4, %rd1;
    mad.wide.u32 %rd4, %r3, 4, %rd2;
)" + body + "    ret;\n}\n";
}

struct Left {
    std::vector<uint32_t> words;
    std::string findings;
    Statistics statistics;
    Executed executed;
    uint64_t divided;
};

/// Launches the kernels one after the other; nothing orders the second after the first if `apart`.
inline Left left_by(const std::vector<std::string>& bodies, uint32_t cores, bool apart = false,
                    const Schedule& schedule = {}, uint32_t cluster = 1) {
    std::string text = ".version 8.6\n.target sm_90\n.address_size 64\n";
    for (size_t i = 0; i < bodies.size(); ++i)
        text += kernel_of_parts("k" + std::to_string(i), bodies[i]);
    Options options;
    options.schedule = schedule;
    options.properties.sm_count = 1;
    options.cores = cores;
    options.undivided = 0;
    options.alone = 2000;
    sim::Device gpu(options);
    const uint64_t before = divided_so_far, bytes = all_words * sizeof(uint32_t);
    const uint64_t buffers[] = {gpu.allocate(bytes), gpu.allocate(bytes)};
    REQUIRE(gpu.fill(buffers[0], 7, 4, all_words, {}, "cudaMemset"));
    std::vector<std::byte> parameters(sizeof buffers);
    std::memcpy(parameters.data(), buffers, sizeof buffers);
    LaunchConfig config;
    config.grid.x = block_count;
    config.block.x = block_threads;
    config.cluster.x = cluster;
    LoadedModule& module = gpu.load(text);
    Left left;
    sim::events::Order order;
    for (size_t i = 0; i < bodies.size(); ++i) {
        const OperationId id = gpu.next_operation();
        CHECK(gpu.launch(gpu.kernel(module, "k" + std::to_string(i)), config, parameters, order));
        left.statistics += gpu.statistics();
        if (apart) {
            order.unordered.push_back(id);
            order.fresh = order.alone = false;
        }
    }
    left.words.resize(2 * all_words);
    for (size_t i = 0; i < 2; ++i)
        std::memcpy(left.words.data() + i * all_words, gpu.peek(buffers[i], bytes).data(), bytes);
    for (const auto& finding : gpu.reporter().findings())
        left.findings += sim::hazards::text(finding, {}) + "\n";
    left.executed = gpu.executed();
    left.divided = divided_so_far - before;
    return left;
}

/// What several processes leave, compared with what one leaves.
inline Left in_parts_too(const std::vector<std::string>& bodies, bool apart = false, const Schedule& schedule = {},
                         uint32_t cluster = 1) {
    const Left one = left_by(bodies, 1, apart, schedule, cluster),
               several = left_by(bodies, 3, apart, schedule, cluster);
    CHECK(one.divided == 0);
    CHECK(one.words == several.words);
    CHECK(one.findings == several.findings);
    for (const auto count :
         {&Statistics::thread_instructions, &Statistics::warp_instructions, &Statistics::global_load_bytes,
          &Statistics::global_store_bytes, &Statistics::atomic_bytes, &Statistics::shared_bank_cycles})
        CHECK(one.statistics.*count == several.statistics.*count);
    CHECK(one.executed.exactly == several.executed.exactly);
    CHECK(one.executed.not_reached == several.executed.not_reached);
    return several;
}

} // namespace sim::machine
