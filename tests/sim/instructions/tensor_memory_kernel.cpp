#include "tensor_memory_kernel.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "sim/device/device.h"

using namespace sim::machine;

namespace tensor_memory_kernel {

constexpr uint32_t matrices = 96 << 10, columns = 512, cells = 128 * columns;

std::string cluster_barrier(uint32_t group) {
    return group == 2 ? "barrier.cluster.arrive; barrier.cluster.wait;" : "bar.sync 0;";
}

/// 128 threads; each warp handles its quarter of the lanes.
std::string kernel(const TensorProgram& p) {
    const std::string group = fmt::format("cta_group::{}", p.group), meet = cluster_barrier(p.group);
    std::string values;
    for (size_t i = 0; i < p.values.size(); ++i)
        values += fmt::format("mov.b64 %rd{}, {:#x};\n", 20 + i, p.values[i]);
    return R"(.version 8.8
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 dynamic[];
.visible .entry k(.param .u64 image, .param .u64 tensor))" +
           std::string(p.group == 2 ? ".reqnctapercluster 2" : "") + R"(
{
    .reg .pred %p<16>;
    .reg .b32 %r<64>;
    .reg .b64 %rd<64>;
    .shared .align 8 .b8 words[16];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    ld.param.u64 %rd1, [image];
    ld.param.u64 %rd2, [tensor];
)" + fmt::format("mad.wide.u32 %rd1, %r2, {}, %rd1; mad.wide.u32 %rd2, %r2, {}, %rd2;\n", matrices, 4 * cells) +
           R"(
    mov.u32 %r3, dynamic;
    shl.b32 %r4, %r1, 4;
COPY:
    cvt.u64.u32 %rd3, %r4;
    add.u64 %rd3, %rd1, %rd3;
    ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd3];
    add.u32 %r5, %r3, %r4;
    st.shared.v4.u32 [%r5], {%r20, %r21, %r22, %r23};
    add.u32 %r4, %r4, 2048;
)" + fmt::format("setp.lt.u32 %p1, %r4, {};\n@%p1 bra COPY;\n", matrices) +
           R"(
    fence.proxy.async;
    setp.eq.u32 %p2, %r1, 0;
    mov.u32 %r6, words;
    @%p2 mbarrier.init.shared.b64 [words+8], 1;
    @%p2 fence.mbarrier_init.release.cluster;
    )" + meet +
           R"(
    setp.lt.u32 %p3, %r1, 32;
    @!%p3 bra ALLOCATED;
    tcgen05.alloc.)" +
           group + R"(.sync.aligned.shared::cta.b32 [%r6], 512;
ALLOCATED:
    )" + meet +
           R"(
    ld.shared.u32 %r10, [words];
    shr.u32 %r7, %r1, 5;
    shl.b32 %r7, %r7, 21;
    add.u32 %r7, %r7, %r10;
    mul.wide.u32 %rd4, %r1, 4;
    add.u64 %rd4, %rd4, %rd2;
    mov.u32 %r8, 0;
FILL:
    ld.global.u32 %r20, [%rd4];
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r7], {%r20};
    add.u64 %rd4, %rd4, 512;
    add.u32 %r7, %r7, 1;
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, 512;
    @%p1 bra FILL;
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;
    )" + meet +
           R"(
    tcgen05.fence::after_thread_sync;
    or.b32 %r9, %r1, %r2;
    setp.ne.u32 %p4, %r9, 0;
    @%p4 bra ISSUED;
    shr.u32 %r9, %r3, 4;
    cvt.u64.u32 %rd10, %r9;
)" + values +
           p.body +
           R"(
    tcgen05.commit.)" +
           group + R"(.mbarrier::arrive::one.shared::cluster.b64 [words+8];
ISSUED:
    setp.ne.u32 %p4, %r2, 0;
    @%p4 bra WAITED;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p5, [words+8], 0;
    @!%p5 bra WAIT;
WAITED:
    )" + meet +
           R"(
    tcgen05.fence::after_thread_sync;
    sub.u32 %r7, %r7, 512;
    mul.wide.u32 %rd4, %r1, 4;
    add.u64 %rd4, %rd4, %rd2;
    mov.u32 %r8, 0;
READ:
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%r7];
    tcgen05.wait::ld.sync.aligned;
    st.global.u32 [%rd4], %r20;
    add.u64 %rd4, %rd4, 512;
    add.u32 %r7, %r7, 1;
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, 512;
    @%p1 bra READ;
    tcgen05.fence::before_thread_sync;
    )" + meet +
           R"(
    @!%p3 bra DONE;
    tcgen05.dealloc.)" +
           group + R"(.sync.aligned.b32 %r10, 512;
DONE:
    ret;
}
)";
}

template <class T>
void put(std::span<std::byte> to, size_t at, const std::vector<T>& values) {
    std::memcpy(to.data() + at, values.data(), values.size() * sizeof(T));
}

} // namespace tensor_memory_kernel

TensorResult run(const TensorProgram& p) {
    using namespace tensor_memory_kernel;
    Options options;
    options.properties = properties_of(100);
    options.detect = p.detect;
    options.schedule.completion = p.completion;
    options.max_instructions = 200'000'000;
    sim::Device gpu(options);
    const uint64_t image_bytes = uint64_t{matrices} * p.group, cell_bytes = uint64_t{4} * cells * p.group;
    struct {
        uint64_t image, tensor;
    } parameters{gpu.allocate(image_bytes), gpu.allocate(cell_bytes)};
    const auto image = gpu.peek(parameters.image, image_bytes), tensor = gpu.peek(parameters.tensor, cell_bytes);
    std::fill(image.begin(), image.end(), std::byte{});
    std::fill(tensor.begin(), tensor.end(), std::byte{});
    for (size_t i = 0; i < p.shared.size(); ++i)
        put(image, i * matrices, p.shared[i]);
    for (size_t i = 0; i < p.cells.size(); ++i)
        put(tensor, i * cells * 4, p.cells[i]);
    std::vector<std::byte> packed(sizeof parameters);
    std::memcpy(packed.data(), &parameters, sizeof parameters);
    LaunchConfig config;
    config.grid.x = config.cluster.x = p.group;
    config.block.x = 128;
    config.dynamic_shared = matrices;
    TensorResult result;
    result.outcome = gpu.launch(gpu.kernel(gpu.load(kernel(p)), "k"), config, packed, {});
    for (uint32_t i = 0; i < p.group; ++i) {
        result.cells.emplace_back(cells);
        std::memcpy(result.cells.back().data(), tensor.data() + uint64_t{i} * cells * 4, cells * 4);
    }
    return result;
}
