// Which copies count: those whose bytes are read where they landed, by work on which a result depends.
#include "flow_of.h"

using namespace provenance_tests;

namespace {

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

TEST_CASE("how warpgroups take turns with products") {
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
        return flow_of(begin + between + end, false, 128 * warpgroups).turns;
    };
    CHECK(turns(multiply + multiply, 1).products == 4);
    CHECK(turns(multiply + multiply, 1).changes == 0);
    CHECK(turns(multiply, 2).changes > 1);
    CHECK(turns(multiply, 2).taken == 0);
    // The first warpgroup hands over, and does not wait; then it does.
    const auto arrives = turns("@!%p2 bar.sync 1, 256;" + multiply + "@%p2 bar.arrive 1, 256;", 2);
    CHECK(arrives.changes == 1);
    CHECK(arrives.taken == 1);
    CHECK(arrives.meetings == 0);
    const auto waits = turns("@!%p2 bar.sync 1, 256;" + multiply + "@%p2 bar.sync 1, 256;", 2);
    CHECK(waits.taken == 1);
    CHECK(waits.meetings == 1);
    // A barrier of one warpgroup is no meeting; a wait before each product is a turn for each.
    const std::string alone = "add.u32 %r7, %r5, 128; shr.u32 %r7, %r7, 7; bar.sync %r7, 128;";
    CHECK(turns(alone + multiply + alone + multiply, 2).taken == 4);
    CHECK(turns(alone + multiply, 2).meetings == 0);
}

TEST_CASE("decoys are not in flight") {
    const std::string ahead = copy(0) + copy(1) + copy(2) + wait(2) + load(0);
    const auto drop = [](int part) {
        return "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3+" + std::to_string(512 * part) + "];";
    };
    CHECK(flow_of(ahead + wait(0) + load(1) + load(2), true).groups == 2);
    CHECK(flow_of(ahead + wait(0) + drop(1) + drop(2), true).groups == 0);
}
