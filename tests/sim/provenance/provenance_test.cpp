// Which copies count: those whose bytes are read where they landed, by work on which a result depends.
#include <doctest/doctest.h>

#include <cstring>

#include "sim/device/device.h"

using namespace sim::machine;

namespace {

constexpr uint32_t threads = 32, buffer_bytes = 4096;

/// `body` finds two buffers of 4 KiB in %rd1 (followed) and %rd2, their parts of this thread (16 bytes, behind those of
/// the threads before it) in %rd3 and %rd4, and its part of `tile` in %r3; there are 8 such parts for each, 512 bytes
/// apart. With `results`, the second buffer's bytes are followed to where they come from.
sim::provenance::Flow flow_of(const std::string& body, bool results = false, uint32_t block = threads) {
    const bool blackwell = body.find("tcgen05") != body.npos;
    Options options;
    if (blackwell)
        options.properties = properties_of(100);
    sim::Device device(options);
    auto& module = device.load(std::string(".version 8.6\n.target ") + (blackwell ? "sm_100a" : "sm_90a") + R"(
.address_size 64
.func (.param .b32 out) increased(.param .b32 value)
{
    .reg .b32 %r<2>;
    ld.param.u32 %r1, [value];
    add.u32 %r1, %r1, 1;
    st.param.b32 [out], %r1;
    ret;
}
.visible .entry k(.param .u64 in, .param .u64 other)
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<16>;
    .shared .align 128 .b8 tile[4096];
    .shared .align 8 .b8 barrier[16];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [other];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd5, %r1, 16;
    add.u64 %rd3, %rd1, %rd5;
    add.u64 %rd4, %rd2, %rd5;
    mov.u32 %r2, tile;
    mad.lo.u32 %r3, %r1, 16, %r2;
    mov.u32 %r4, barrier;
    setp.eq.u32 %p1, %r1, 0;
)" + body + "\nret;\n}\n");
    const uint64_t in = device.allocate(buffer_bytes), other = device.allocate(buffer_bytes);
    for (const uint64_t buffer : {in, other})
        device.write(buffer, std::vector<std::byte>(buffer_bytes), {}, "input");
    sim::provenance::Followed followed{{{in, buffer_bytes}}, {}};
    if (results)
        followed.results.push_back({other, buffer_bytes});
    device.follow(std::move(followed));
    const uint64_t parameters[] = {in, other};
    LaunchConfig config;
    config.block = {block, 1, 1};
    config.grid = {1, 1, 1};
    const Outcome outcome = device.launch(device.kernel(module, "k"), config, std::as_bytes(std::span(parameters)), {});
    CHECK_MESSAGE(bool(outcome), outcome.message);
    return device.followed()->flow();
}

std::string copy(int part, const char* source = "%rd3", const char* size = "16") {
    const std::string offset = "+" + std::to_string(512 * part) + "]";
    return "cp.async.ca.shared.global [%r3" + offset + ", [" + source + offset + ", 16, " + size +
           "; cp.async.commit_group;";
}
std::string wait(int groups) {
    return "cp.async.wait_group " + std::to_string(groups) + ";";
}
std::string load(int part) {
    return "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3+" + std::to_string(512 * part) +
           "]; st.global.v4.u32 [%rd4+" + std::to_string(512 * part) + "], {%r10, %r11, %r12, %r13};";
}

// The words [first, last) of each lane's four.
std::string load_words(int part, int first, int last) {
    std::string text;
    for (int i = first; i < last; ++i)
        text += "ld.shared.u32 %r10, [%r3+" + std::to_string(512 * part + 4 * i) + "]; st.global.u32 [%rd4+" +
                std::to_string(512 * part + 4 * i) + "], %r10;";
    return text;
}
} // namespace

TEST_CASE("a copy counts when its bytes are read, and once") {
    auto flow = flow_of(copy(0) + wait(0) + load(0) + load(0));
    CHECK(flow.copied == 512);
    CHECK(flow.used == 512);
    flow = flow_of(copy(0) + wait(0));
    CHECK(flow.copied == 512);
    CHECK(flow.used == 0);
}

TEST_CASE("what is overwritten before it is read is not used, by threads or by another copy") {
    CHECK(flow_of(copy(0) + wait(0) + "st.shared.u32 [%r3], 1;" + load(0)).used == 384);
    CHECK(flow_of(copy(0) + wait(0) + load(0) + "st.shared.u32 [%r3], 1;").used == 512);
    auto flow = flow_of(copy(0) + wait(0) + copy(0) + wait(0) + load(0));
    CHECK(flow.copied == 1024);
    CHECK(flow.used == 512);
    flow = flow_of(copy(0) + wait(0) + load(0) + copy(0) + wait(0) + load(0));
    CHECK(flow.used == 1024);
}

TEST_CASE("only copies from the buffers that are followed count") {
    CHECK(flow_of(copy(0, "%rd4") + wait(0) + load(0)).copied == 0);
    CHECK(flow_of(copy(0, "%rd3", "0") + wait(0) + load(0)).copied == 0); // and those that read something
    CHECK(flow_of(copy(0, "%rd3", "8") + wait(0) + load(0)).used == 256);
}

TEST_CASE("groups are in flight if what they bring is read later") {
    const std::string ahead = copy(0) + copy(1) + copy(2) + wait(2) + load(0);
    CHECK(flow_of(ahead + wait(0) + load(1) + load(2)).groups == 2);
    CHECK(flow_of(ahead + wait(0) + load(1)).groups == 1);
    CHECK(flow_of(ahead + wait(0)).groups == 0);
    CHECK(flow_of(copy(0) + wait(0) + load(0) + copy(1) + wait(0) + load(1)).groups == 0);
    CHECK(flow_of(copy(0) + wait(0) + copy(1) + load(0) + wait(0) + load(1)).groups == 1); // issued after the wait
    // A wait on an mbarrier that tracks the copies completes groups, too.
    const std::string noticed = "@%p1 mbarrier.init.shared.b64 [%r4], 32; bar.sync 0;",
                      tracked = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4];",
                      waited = "V: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra V;";
    CHECK(flow_of(noticed + copy(0) + copy(1) + tracked + waited + load(0) + load(1)).groups == 0);
    CHECK(flow_of(noticed + copy(0) + tracked + copy(1) + waited + load(0) + wait(0) + load(1)).groups == 1);
    // Four bytes of each sixteen are no tile.
    const std::string dummy = "cp.async.ca.shared.global [%r3+512], [%rd3+512], 4; cp.async.commit_group;";
    CHECK(flow_of(copy(0) + dummy + wait(1) + load(0) + wait(0) + "ld.shared.u32 %r10, [%r3+512];").groups == 0);
}

namespace {

std::string bulk(int part) {
    const std::string at = std::to_string(512 * part), barrier = "[%r4+" + std::to_string(8 * (part % 2)) + "]";
    return "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, " + barrier +
           ", 512; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+" + at + "], [%rd1+" +
           at + "], 512, " + barrier + ";";
}
std::string waits(int part) {
    const std::string label = "W" + std::to_string(part);
    return label + ": mbarrier.try_wait.parity.shared.b64 %p2, [%r4+" + std::to_string(8 * (part % 2)) + "], " +
           std::to_string(part / 2 % 2) + "; @!%p2 bra " + label + ";";
}
const std::string begin = "@%p1 mbarrier.init.shared.b64 [%r4], 1; @%p1 mbarrier.init.shared.b64 [%r4+8], 1;"
                          "bar.sync 0;";

} // namespace

TEST_CASE("stages are in flight from the copy's issue to the first wait that succeeds, while another one is read") {
    auto flow = flow_of(begin + bulk(0) + bulk(1) + waits(0) + load(0) + waits(1) + load(1));
    CHECK(flow.stages == 2);
    CHECK(flow.used == 1024);
    flow = flow_of(begin + bulk(0) + waits(0) + load(0) + bulk(1) + waits(1) + load(1));
    CHECK(flow.stages == 1);
    CHECK(flow.used == 1024);
    flow = flow_of(begin + bulk(0) + bulk(1) + waits(0) + waits(1) + load(0) + load(1)); // one in two parts
    CHECK(flow.stages == 1);
    CHECK(flow.used == 1024);
    flow = flow_of(begin + bulk(0) + bulk(1) + waits(0) + load(0) + waits(1)); // a decoy
    CHECK(flow.stages == 1);
    CHECK(flow.used == 512);
}

TEST_CASE("how many groups are in flight at a wait, and while their tile is read, after the first lap") {
    std::string ahead = copy(0), behind, late = copy(0), synchronous, soon = copy(0), near_the_end = copy(0);
    for (int part = 0; part < 8; ++part) {
        const std::string next = part < 7 ? copy(part + 1) : "";
        ahead += next + wait(part < 7 ? 1 : 0) + load(part);           // one waits, one is in flight
        behind += (part ? "" : copy(0)) + next + wait(0) + load(part); // both are waited for
        late += wait(0) + next + load(part);                           // one is issued between the wait and the reads
        synchronous += copy(part) + wait(0) + load(part);
        soon += wait(0) + load_words(part, 0, 1) + next + load_words(part, 1, 4);
        near_the_end += wait(0) + load_words(part, 0, 3) + next + load_words(part, 3, 4);
    }
    auto found = flow_of(ahead).groups_ahead;
    CHECK(found.waits == 4);
    CHECK(found.in_flight == 8);
    CHECK(found.beside == 4);
    CHECK_FALSE(found.alone);
    found = flow_of(late).groups_ahead;
    CHECK(found.in_flight == found.waits);
    CHECK(found.beside == found.reads);
    CHECK_FALSE(found.alone);
    found = flow_of(soon).groups_ahead;
    CHECK(found.beside == found.reads);
    for (const auto& none : {behind, synchronous, near_the_end}) {
        found = flow_of(none).groups_ahead;
        CHECK(found.waits >= 4);
        CHECK(found.in_flight == found.waits);
        CHECK(found.beside == 0);
        CHECK(found.alone);
    }
}

TEST_CASE("how many phases are in flight when one completes, after the first lap") {
    std::string ahead = begin + bulk(0), late = ahead, synchronous = begin;
    for (int part = 0; part < 8; ++part) {
        const std::string next = part < 7 ? bulk(part + 1) : "";
        ahead += next + waits(part) + load(part) + "bar.sync 0;";
        late += waits(part) + next + load(part) + "bar.sync 0;";
        synchronous += bulk(part) + waits(part) + load(part) + "bar.sync 0;";
    }
    auto found = flow_of(ahead).stages_ahead;
    CHECK(found.ring == 2);
    CHECK(found.waits == 3); // the second copy follows the first without a wait, so both may be parts of one tile
    CHECK(found.in_flight == 6);
    CHECK(found.beside == 3);
    CHECK_FALSE(found.alone);
    found = flow_of(late).stages_ahead;
    CHECK(found.in_flight == found.waits);
    CHECK(found.beside == found.reads);
    found = flow_of(synchronous).stages_ahead;
    CHECK(found.waits == 4);
    CHECK(found.in_flight == 4);
    CHECK(found.beside == 0);
    CHECK(found.alone);
    CHECK(found.alone_from == 2);
    CHECK(found.alone_to == 5);
}

namespace {

const std::string arrived = copy(0) + wait(0) + "ld.shared.u32 %r10, [%r3];", put = "st.global.u32 [%rd4], %r10;";

} // namespace

TEST_CASE("a copy is used if a result depends on it") {
    auto flow = flow_of(copy(0) + wait(0) + load(0), true);
    CHECK(flow.used == 512);
    CHECK(flow.results == 512);
    CHECK(flow.dependent == 512);
    CHECK(flow[sim::provenance::Means::cp_async].used == 512);
    CHECK(flow.inputs == buffer_bytes);
    flow = flow_of(arrived + "st.shared.u32 [%r3+512], %r10; mov.u32 %r10, 7;" + put, true); // read, and dropped
    CHECK(flow.used == 0);
    CHECK(flow.results == 128);
    CHECK(flow.dependent == 0);
}

TEST_CASE("a result depends on what reaches it through operands, memory, conditions and calls") {
    const auto dependent = [](const std::string& between) { return flow_of(arrived + between + put, true).dependent; };
    CHECK(dependent("xor.b32 %r10, %r10, 5;") == 128);
    CHECK(dependent("st.shared.u32 [%r3+512], %r10; bar.sync 0; ld.shared.u32 %r10, [%r3+512];") == 128);
    CHECK(dependent("shfl.sync.bfly.b32 %r10, %r10, 1, 31, -1;") == 128);
    CHECK(dependent("setp.ne.u32 %p2, %r10, 0; selp.b32 %r10, 1, 2, %p2;") == 128);
    CHECK(dependent("setp.ne.u32 %p2, %r10, 0; mov.u32 %r10, 1; @%p2 mov.u32 %r10, 2;") == 128);
    CHECK(dependent("{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r10; call (b), increased, (a);"
                    " ld.param.b32 %r10, [b]; }") == 128);
    CHECK(dependent("{ .local .b32 slot; st.local.u32 [slot], %r10; mov.u32 %r10, 0; ld.local.u32 %r10, [slot]; }") ==
          128);
    CHECK(dependent("mov.u32 %r11, 7; setp.eq.u32 %p2, %r1, 99; selp.b32 %r10, %r10, %r11, %p2;") == 0); // not chosen
    CHECK(dependent("mov.u32 %r10, 0;") == 0);
    for (const char* value : {"0", "1"}) { // whichever way it takes
        const std::string ways = "setp.eq.u32 %p2, %r10, " + std::string(value) + "; mov.u32 %r10, 3; @%p2 bra ";
        CHECK(dependent(ways + "ONE; mov.u32 %r10, 4; ONE:") == 128);
        CHECK(dependent(ways + "ONE; mov.u32 %r10, 4; bra BOTH; ONE: mov.u32 %r10, 5; BOTH:") == 128);
        CHECK(dependent(ways + "ONE; st.shared.u32 [%r3+512], %r10; ONE:") == 0); // another place
    }
}

TEST_CASE("the last write of a result counts") {
    CHECK(flow_of(arrived + put + "mov.u32 %r10, 7;" + put, true).dependent == 0);
    CHECK(flow_of(arrived + "mov.u32 %r11, 7; st.global.u32 [%rd4], %r11;" + put, true).dependent == 128);
    CHECK(flow_of(arrived + "mov.u32 %r11, 7; st.global.u32 [%rd4], %r11; red.global.add.u32 [%rd4], %r10;", true)
              .dependent == 128);
}

TEST_CASE("what is stored to global memory and loaded again is counted, products by themselves") {
    const std::string again = put + "ld.global.u32 %r10, [%rd4]; st.global.u32 [%rd4+512], %r10;";
    CHECK(flow_of(arrived + again, true).reloaded == 128);
    CHECK(flow_of(arrived + put + copy(1, "%rd4") + wait(0), true).reloaded == 0); // of another place
    CHECK(flow_of(arrived + put + copy(0, "%rd4") + wait(0), true).reloaded == 128);
    const std::string product =
        "mov.b32 %r14, 0; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r20, %r21, %r22, %r23}, "
        "{%r10, %r10, %r10, %r10}, {%r10, %r10}, {%r14, %r14, %r14, %r14}; mov.b32 %r10, %r20;";
    const auto flow = flow_of(arrived + product + again, true);
    CHECK(flow.reloaded == 0);
    CHECK(flow.reloaded_products == 128);
    CHECK(flow.multiplied == 256);
    CHECK(flow.multiplied_in_place == 0);
    const std::string sum = "mov.b32 %r14, 0; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r20, %r21, %r22, "
                            "%r23}, {%r14, %r14, %r14, %r14}, {%r14, %r14}, {%r10, %r10, %r10, %r10}; "
                            "mov.b32 %r10, %r20;"; // not of what copies brought
    CHECK(flow_of(arrived + sum + put, true).multiplied == 0);
}

TEST_CASE("bulk stores carry on what shared memory holds") {
    const std::string store = "fence.proxy.async; bar.sync 0; @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], "
                              "[%r2], 512; @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;";
    auto flow = flow_of(copy(0) + wait(0) + store, true);
    CHECK(flow.dependent == 512);
    CHECK(flow.stored[size_t(sim::provenance::Means::bulk)] == 512);
    flow = flow_of(arrived + store + "bar.sync 0;" + put, true); // a thread writes last
    CHECK(flow.stored[size_t(sim::provenance::Means::bulk)] == 384);
}

TEST_CASE("how often another warpgroup multiplies than the one before") {
    const std::string begin = R"(
        .reg .f32 %f<5>;
        shr.u32 %r5, %r1, 7;
        shl.b32 %r5, %r5, 7;
        setp.eq.u32 %p2, %r5, 0;
        shr.u32 %r6, %r2, 4;
        cvt.u64.u32 %rd6, %r6;
        wgmma.fence.sync.aligned;)";
    const std::string multiply = R"(
        wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, %rd6, 0, 1, 1, 0;
        wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, %rd6, 0, 1, 1, 0;)";
    const std::string end = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
    const auto turns = [&](const std::string& between, uint32_t warpgroups) {
        return flow_of(begin + between + end, false, 128 * warpgroups).matrix_turns;
    };
    CHECK(turns(multiply + multiply, 1) == 0);
    CHECK(turns(multiply, 2) > 1);
    CHECK(turns("@!%p2 bar.sync 1, 256;" + multiply + "@%p2 bar.arrive 1, 256;", 2) == 1);
}

TEST_CASE("decoys are not in flight") {
    const std::string ahead = copy(0) + copy(1) + copy(2) + wait(2) + load(0);
    const auto drop = [](int part) {
        return "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3+" + std::to_string(512 * part) + "];";
    };
    CHECK(flow_of(ahead + wait(0) + load(1) + load(2), true).groups == 2);
    CHECK(flow_of(ahead + wait(0) + drop(1) + drop(2), true).groups == 0);
}

TEST_CASE("results of tcgen05.mma depend on the copies that it reads where they landed") {
    std::string copies;
    for (int part = 0; part < 5; ++part)
        copies += copy(part);
    const std::string begin = copies + wait(0) + R"(
        fence.proxy.async;
        @%p1 mbarrier.init.shared.b64 [%r4], 1;
        add.u32 %r5, %r4, 8;
        tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r5], 32;
        bar.sync 0;
        ld.shared.u32 %r6, [%r5];)";
    const std::string end = R"(
        tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r14}, [%r6];
        tcgen05.wait::ld.sync.aligned;
        st.global.u32 [%rd4], %r14;
        tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, 32;)";
    const std::string multiply = R"(
        @!%p1 bra S;
        cvt.u64.u32 %rd6, %r2;
        shr.u64 %rd6, %rd6, 4;
        or.b64 %rd6, %rd6, 0x401000080000;
        add.u64 %rd7, %rd6, 128;
        mov.u32 %r7, 0x04020490;
        setp.ne.u32 %p3, %r1, 0;
        tcgen05.mma.cta_group::1.kind::f16 [%r6], %rd6, %rd7, %r7, %p3;
        tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r4];
        S:
        W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;
        @!%p2 bra W;)";
    const std::string store = R"(
        ld.shared.u32 %r8, [%r3];
        tcgen05.st.sync.aligned.32x32b.x1.b32 [%r6], {%r8};
        tcgen05.wait::st.sync.aligned;)";
    auto flow = flow_of(begin + multiply + end, true);
    CHECK(flow.results == 128);
    CHECK(flow.dependent == 128);
    CHECK(flow.multiplied_in_place == 128);
    CHECK(flow.used == 2048 + 256);
    flow = flow_of(begin + store + end, true);
    CHECK(flow.dependent == 128);
    CHECK(flow.multiplied == 0);
    flow = flow_of(begin + multiply + store + end, true); // the sums are overwritten
    CHECK(flow.dependent == 128);
    CHECK(flow.multiplied == 0);
}
