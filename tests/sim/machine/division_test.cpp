// A launch of which several processes execute parts leaves what it leaves if one process executes it: memory, counters,
// findings, and what the detector knows of it afterwards.
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/device/device.h"
#include "sim/machine/progress.h"
#include "sim/report/text.h"

using namespace sim::machine;

namespace {

constexpr uint32_t block_count = 64, block_threads = 64, all_words = block_count * block_threads;

/// A kernel that finds two buffers of `all_words` words in %rd1 and %rd2, its own word of them in %rd3 and %rd4, %tid.x
/// in %r1, %ctaid.x in %r2 and the number of its thread in %r3.
std::string kernel_of_parts(const std::string& name, const std::string& body) {
    return ".visible .entry " + name + R"((.param .u64 first, .param .u64 second)
{
    .reg .pred %p<8>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<8>;
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

/// Enough instructions for a launch to be divided after some of its blocks.
const std::string long_work = R"(
    mov.u32 %r8, 0;
AGAIN:
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, 200;
    @%p1 bra AGAIN;
)";
//// Each block reads the same 64 words, and writes its own.
const std::string reads_table = long_work + R"(
    mad.wide.u32 %rd5, %r1, 4, %rd1;
    ld.global.u32 %r5, [%rd5];
    add.u32 %r5, %r5, %r3;
    st.global.u32 [%rd4], %r5;
)";

struct Left {
    std::vector<uint32_t> words;
    std::string findings;
    Statistics statistics;
    Executed executed;
    uint64_t divided;
};

/// Launches the kernels one after the other; nothing orders the second after the first if `apart`.
Left left_by(const std::vector<std::string>& bodies, uint32_t cores, bool apart = false,
             const Schedule& schedule = {}) {
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
Left in_parts_too(const std::vector<std::string>& bodies, bool apart = false, const Schedule& schedule = {}) {
    const Left one = left_by(bodies, 1, apart, schedule), several = left_by(bodies, 3, apart, schedule);
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

} // namespace

TEST_CASE("blocks that do not communicate run in parts") {
    for (const auto& schedule : {Schedule{}, Schedule{Schedule::Completion::eager, Schedule::Warps::one_ahead, 1}}) {
        const Left left = in_parts_too({reads_table}, false, schedule);
        CHECK(left.divided == 1);
        CHECK(left.findings.empty());
        CHECK(left.words[all_words + 5] == 12);
    }
    CHECK(in_parts_too({reads_table}, false, {Schedule::Completion::random, Schedule::Warps::random, 1}).divided == 0);
}

TEST_CASE("what only the last block executes counts as executed") {
    const Left quiet = in_parts_too({reads_table + R"(
        setp.ne.u32 %p2, %r2, 63;
        @%p2 bra OUT;
        ld.global.u32 %r6, [%rd3];
        st.global.u32 [%rd4], %r6;
    OUT:
    )"});
    CHECK(quiet.divided == 1);
    CHECK(quiet.words[2 * all_words - 1] == 7);
}

TEST_CASE("blocks of different parts that race are reported as in one process") {
    // The last block writes a word that the first has written, or that all read.
    for (const char* store : {"st.global.u32 [%rd2], %r3;", "st.global.u32 [%rd5], %r3;"}) {
        const Left left = in_parts_too({reads_table + R"(
        setp.ne.u32 %p2, %r3, 4095;
        @%p2 bra OUT;
        )" + store + "\n    OUT:\n"});
        CHECK(left.divided == 0);
        CHECK(left.findings.find("race") != std::string::npos);
    }
}

TEST_CASE("blocks that communicate run in one process") {
    const std::string by[] = {"atom.global.add.u32 %r5, [%rd1], 1;", "ld.volatile.global.u32 %r5, [%rd1];",
                              "membar.gl;", "mov.u32 %r5, %clock;"};
    for (const std::string& instruction : by) {
        CAPTURE(instruction);
        CHECK(in_parts_too({instruction + long_work + "st.global.u32 [%rd4], %r3;"}).divided == 0);
        CHECK(in_parts_too({long_work + instruction + "st.global.u32 [%rd4], %r3;"}).divided == 0);
    }
    CHECK(in_parts_too({long_work + "atom.shared.add.u32 %r5, [own], 1; st.global.u32 [%rd4], %r3;"}).divided ==
          0); // undefined
    CHECK(in_parts_too({"bar.warp.sync -1;" + long_work + "st.global.u32 [%rd4], %r3;"}).divided == 1);
}

TEST_CASE("a launch that nothing orders is compared with what all parts have done") {
    const std::string overwrites_results = "st.global.u32 [%rd4], %r3;",
                      overwrites_table = "st.global.u32 [%rd3], %r3;";
    for (const std::string& second : {overwrites_results, overwrites_table,
                                      std::string("ld.global.u32 %r5, [%rd4];"
                                                  "st.global.u32 [%rd3], %r5;")}) {
        CAPTURE(second);
        const Left left = in_parts_too({reads_table, second}, true);
        CHECK(left.divided == 1);
        CHECK(left.findings.find("stream-race") != std::string::npos);
        const Left ordered = in_parts_too({reads_table, second});
        CHECK(ordered.findings.empty());
    }
}

TEST_CASE("bytes, vectors and parts of words come back as they are") {
    const Left left = in_parts_too({long_work + R"(
        mad.wide.u32 %rd5, %r3, 4, %rd2;
        st.global.u8 [%rd5], %r1;
        st.global.u8 [%rd5+1], %r2;
        st.global.u16 [%rd5+2], %r3;
        and.b32 %r6, %r1, 3;
        setp.ne.u32 %p2, %r6, 0;
        @%p2 bra OUT;
        st.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r4};
    OUT:
    )",
                                    "ld.global.u32 %r5, [%rd4]; st.global.u32 [%rd3], %r5;"},
                                   true);
    CHECK(left.divided == 1);
    CHECK(left.findings.find("stream-race") != std::string::npos);
}
