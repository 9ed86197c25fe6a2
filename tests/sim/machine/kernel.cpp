#include "kernel.h"

#include <cstring>

#include "sim/device/device.h"

using namespace sim::machine;

Ran run(const std::string& body, size_t words, const Shape& shape) {
    const std::string text = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<16>;
    .shared .align 8 .b8 flag[8];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r30, %ctaid.x;
    mov.u32 %r31, %ntid.x;
    mad.lo.u32 %r31, %r30, %r31, %r1;
    mad.wide.u32 %rd2, %r31, 4, %rd1;
    st.shared.u64 [flag], 0;
    bar.sync 0;
)" + body + "\n    ret;\n}\n";
    Options options;
    options.detect = false;
    options.schedule = shape.schedule;
    options.max_instructions = shape.max_instructions;
    sim::Device gpu(options);
    const uint64_t bytes = words * sizeof(uint32_t), out = gpu.allocate(bytes);
    std::memset(gpu.peek(out, bytes).data(), 0, bytes);
    std::vector<std::byte> parameters(sizeof out);
    std::memcpy(parameters.data(), &out, sizeof out);
    LaunchConfig config;
    config.grid.x = shape.blocks;
    config.block.x = shape.threads;
    Ran ran;
    ran.outcome = gpu.launch(gpu.kernel(gpu.load(text), "k"), config, parameters, {});
    ran.words.resize(words);
    std::memcpy(ran.words.data(), gpu.peek(out, bytes).data(), bytes);
    ran.statistics = gpu.statistics();
    ran.executed = gpu.executed();
    return ran;
}
