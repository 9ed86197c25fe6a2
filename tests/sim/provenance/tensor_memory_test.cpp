// Results that come through Tensor Memory, and epilogues beside products.
#include "flow_of.h"

using namespace provenance_tests;

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

TEST_CASE("an epilogue runs beside the products of the next tile that are not ordered after it") {
    // The second warp loads and stores sums of the first tile.
    const std::string begin = R"(
        fence.proxy.async;
        @%p1 mbarrier.init.shared.b64 [%r4], 1;
        @%p1 mbarrier.init.shared.b64 [%r2+4000], 1;
        setp.lt.u32 %p4, %r1, 32;
        add.u32 %r5, %r4, 8;
        @%p4 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r5], 32;
        bar.sync 0;
        ld.shared.u32 %r6, [%r5];
        cvt.u64.u32 %rd6, %r2;
        shr.u64 %rd6, %rd6, 4;
        or.b64 %rd6, %rd6, 0x401000080000;
        add.u64 %rd7, %rd6, 128;
        mov.u32 %r7, 0x04020490;
        add.u32 %r8, %r6, 8;
        setp.ne.u32 %p3, %r1, %r1;
        @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r6], %rd6, %rd7, %r7, %p3;
        @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r4];
        @!%p4 bra L;)";
    const std::string next = R"(
        @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r8], %rd6, %rd7, %r7, %p3;
        @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2+4000];
        V: mbarrier.try_wait.parity.shared.b64 %p2, [%r2+4000], 0;
        @!%p2 bra V;
        bra E;
        L:
        W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;
        @!%p2 bra W;
        add.u32 %r9, %r6, 0x200000;
        tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r14}, [%r9];
        tcgen05.wait::ld.sync.aligned;
        st.global.u32 [%rd4], %r14;)";
    const std::string end = R"(
        E: bar.sync 0;
        @%p4 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, 32;)";
    const std::string meet = "bar.sync 1, 64;";
    std::string copies;
    for (int part = 0; part < 4; ++part)
        copies += copy(part);
    auto epilogue = flow_of(copies + wait(0) + begin + next + end, true, 64).epilogue;
    CHECK(epilogue.work == 2 * 64 * 8);
    CHECK(epilogue.loads == 32);
    CHECK(epilogue.loads_beside == 32);
    CHECK(epilogue.stores == 128);
    CHECK(epilogue.stores_beside == 128);
    CHECK(epilogue.drained == 0);
    epilogue = flow_of(copies + wait(0) + begin + meet + next + meet + end, true, 64).epilogue;
    CHECK(epilogue.loads == 32);
    CHECK(epilogue.loads_beside == 0);
    CHECK(epilogue.stores == 128);
    CHECK(epilogue.stores_beside == 0);
    CHECK(epilogue.drained == 1);
}
