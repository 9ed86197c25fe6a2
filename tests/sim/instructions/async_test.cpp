// The asynchronous instructions, executed once each where no hazard is involved. Their ordering rules are tested with
// the hazards, tensor copies with real tensor maps by whole programs.
#include <doctest/doctest.h>

#include "snippet.h"

using u32 = uint32_t;
using u64 = uint64_t;

namespace async_test {

const std::vector<In> one = {In{11, 22, 0, 0}};

/// shared: an mbarrier at +0 for `count` arrivals, data from +128 on.
std::string with_barrier(u32 count, const std::string& body) {
    return "mov.u32 %r5, shared; mbarrier.init.shared::cta.b64 [shared], " + std::to_string(count) + ";" + body;
}
const std::string wait = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p5, [shared], 0; @!%p5 bra WAIT;";

TEST_CASE("mbarrier: arrivals, pending counts, drops and invalidation") {
    const auto out = execute(
        with_barrier(
            3,
            "mbarrier.arrive.shared::cta.b64 %rd5, [shared]; mbarrier.pending_count.b64 %r10, %rd5;"
            "mbarrier.arrive_drop.shared::cta.b64 _, [shared]; mbarrier.test_wait.shared::cta.b64 %p10, [shared], %rd5;"
            "mbarrier.arrive.shared::cta.b64 _, [shared]; mbarrier.test_wait.shared::cta.b64 %p11, [shared], %rd5;"
            "mbarrier.inval.shared::cta.b64 [shared];"),
        one);
    CHECK(out[0].narrow == 3); // before the arrive
    CHECK_FALSE(out[0].p);
    CHECK(out[0].q);
}

TEST_CASE("mbarrier: transactions hold a phase back until their bytes are complete") {
    const auto out = execute(with_barrier(1, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [shared], 32; "
                                             "mbarrier.arrive.shared::cta.b64 %rd5, [shared];"
                                             "mbarrier.test_wait.shared::cta.b64 %p10, [shared], %rd5;"
                                             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [shared], 32;"
                                             "mbarrier.test_wait.shared::cta.b64 %p11, [shared], %rd5;"),
                             one);
    CHECK_FALSE(out[0].p);
    CHECK(out[0].q);
}

TEST_CASE("mbarrier: the tx-count stays within 2^20 - 1; tokens distinguish phases by their parity") {
    CHECK(
        failure(with_barrier(1, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [shared], 1048576;")).find("tx-count") !=
        std::string::npos);
    execute(with_barrier(2, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [shared], 1048575;"), one);
    const auto out = execute(with_barrier(1, "mbarrier.arrive.shared::cta.b64 %rd5, [shared];"
                                             "mbarrier.arrive.shared::cta.b64 _, [shared];"
                                             "mbarrier.test_wait.shared::cta.b64 %p10, [shared], %rd5;"
                                             "mbarrier.arrive.shared::cta.b64 _, [shared];"
                                             "mbarrier.test_wait.shared::cta.b64 %p11, [shared], %rd5;"),
                             one);
    CHECK_FALSE(out[0].p);
    CHECK(out[0].q);
}

TEST_CASE("mbarrier: layouts, phase types and reports, of which there are none") {
    const auto out =
        execute("mov.u32 %r5, shared; mbarrier.init.layout::v1.shared::cta.b64 [shared], 1;"
                "mbarrier.check_layout.layout::v1.shared::cta.b64 %p10, [shared];"
                "mbarrier.check_layout.layout::v0.shared::cta.b64 %p3, [shared]; selp.u32 %r10, 1, 0, %p3;"
                "mbarrier.arrive.shared::cta.b64 %rd5, [shared]; setp.eq.u32 %p4, %r5, %r5; mov.b16 %h5, 9;"
                "mbarrier.test_wait.phase_type::primary.shared::cta.b64 %p11|%p4, %h5, [shared], %rd5;"
                "mbarrier.try_wait.parity.phase_type::primary.acquire.cta.shared::cta.b64 %p5, [shared], 0;"
                "selp.u32 %r11, 1, 0, %p4; cvt.u32.u16 %r6, %h5; add.u32 %r11, %r11, %r6;",
                one);
    CHECK(out[0].p);
    CHECK(out[0].narrow == 0);
    CHECK(out[0].q);
    CHECK(out[0].second == 0);
    CHECK(failure(with_barrier(1, "mbarrier.try_wait.parity.phase_type::conditional.shared::cta.b64 %p5, [shared], 0;"))
              .find("conditional phases are not part of the simulated device yet") != std::string::npos);
    CHECK(failure(with_barrier(1, "mbarrier.test_wait.parity.shared::cta.b64 %p5|%p6, [shared], 0;"))
              .find("needs .phase_type::primary") != std::string::npos);
}

TEST_CASE("bulk reductions add to memory, prefetches change nothing") {
    const auto out =
        execute("st.global.u32 [%rd20], 100; st.shared.u32 [shared+128], %r1; st.shared.u32 [shared+132], %r2;"
                "st.shared.u32 [shared+136], 0; st.shared.u32 [shared+140], 0; fence.proxy.async; mov.u32 %r5, shared; "
                "add.u32 %r5, %r5, 128;"
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd20], [%r5], 16;"
                "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; cp.async.bulk.prefetch.L2.global [%rd20], 16;"
                "ld.global.u32 %r10, [%rd20]; ld.global.u32 %r11, [%rd20+4];",
                one);
    CHECK(out[0].narrow == 111);
    CHECK(out[0].second == 22);
}

TEST_CASE("st.async and red.async complete their bytes on an mbarrier") {
    const auto out = execute(
        with_barrier(
            1, "st.shared.u32 [shared+128], 5; add.u32 %r6, %r5, 128; mapa.shared::cluster.u32 %r7, %r6, 0; "
               "mapa.shared::cluster.u32 %r8, %r5, 0;"
               "mbarrier.arrive.expect_tx.shared::cta.b64 _, [shared], 8;"
               "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r7+4], %r1, [%r8];"
               "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r7], %r2, [%r8];" +
                   wait + "ld.shared.u32 %r10, [shared+132]; ld.shared.u32 %r11, [shared+128];"),
        one);
    CHECK(out[0].narrow == 11);
    CHECK(out[0].second == 27);
}

TEST_CASE("tensor copies with something that is no tensor map are refused") {
    const std::string map = "mov.u32 %r5, shared; add.u32 %r5, %r5, 128; mov.u32 %r6, 0;";
    CHECK(
        failure(map + "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd20, {%r6}], [%r5];") !=
        "");
    CHECK(failure("cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd20, {%r1}];") != "");
}

TEST_CASE("tensormap.cp_fenceproxy needs the whole warp's map in shared memory and copies 128 bytes") {
    const auto out = execute(
        "mov.u32 %r5, shared; add.u32 %r6, %r5, 128; mad.lo.u32 %r7, %r40, 4, %r6; st.shared.u32 [%r7], %r1; "
        "bar.warp.sync -1;"
        "mov.u64 %rd5, g; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%rd5], [%r6], 128;"
        "mul.wide.u32 %rd6, %r40, 4; add.u64 %rd6, %rd6, %rd5; ld.global.u32 %r10, [%rd6];",
        std::vector<In>(32, In{77, 0, 0, 0}), ".global .align 128 .b8 g[128];\n");
    CHECK(out[31].narrow == 77);
}

TEST_CASE("lanes without a tensor map execute its acquire with the others") {
    const auto out = execute("mov.u64 %rd5, g; setp.ne.u32 %p1, %r40, 0; selp.u64 %rd6, 0, %rd5, %p1;"
                             "fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128; mov.u32 %r10, 5;",
                             std::vector<In>(32), ".global .align 128 .b8 g[128];\n");
    CHECK(out[0].narrow == 5);
    CHECK(out[31].narrow == 5);
    CHECK(failure("mov.u64 %rd6, 4096; fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;") != "");
}

} // namespace async_test
