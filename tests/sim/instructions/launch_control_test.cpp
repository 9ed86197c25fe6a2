// clusterlaunchcontrol: work is complete whether no, some or all clusters are cancelled.
#include <doctest/doctest.h>

#include "whole_kernel.h"

using namespace whole_kernel;
using u32 = uint32_t;

namespace launch_control_test {

/// Each block adds 1 at the number of each tile that it works on. `again`: what it does before the next round.
std::string persistent(const std::string& again, const std::string& query, const std::string& request = "") {
    return "mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0; mbarrier.init.shared::cta.b64 [bar], 1;"
           "fence.mbarrier_init.release.cluster;"
           "LOOP: mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;"
           "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [response], [bar];" +
           request +
           "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd4, %rd2; red.global.add.u32 [%rd4], 1;"
           "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], %r2; @!%p1 bra WAIT; xor.b32 %r2, %r2, 1;"
           "ld.shared.b128 %q1, [response]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q1;" +
           query + again + "bra LOOP; DONE:";
}
const std::string fence = "fence.proxy.async.shared::cta;";
const std::string ctaid = "@!%p2 bra DONE; clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q1;";

u32 blocks_that_worked(const Result& result, u32 tiles) {
    u32 count = 0;
    for (u32 i = 0; i < tiles; ++i)
        count += result.out[64 + i] != 0;
    return count;
}

TEST_CASE("every tile is worked on once, whether no, some or all clusters are cancelled") {
    const std::string mark = "mov.u32 %r5, %ctaid.x; mul.wide.u32 %rd5, %r5, 4; add.u64 %rd5, %rd5, %rd2;"
                             "st.global.u32 [%rd5+256], 1;";
    u32 workers[3] = {};
    for (const auto completion : {Completion::lazy, Completion::random, Completion::eager})
        for (u32 seed = 1; seed <= 5; ++seed) {
            const Result result =
                run(persistent(fence, ctaid, mark), {.grid = 12, .completion = completion, .seed = seed});
            CHECK(result.error == "");
            CHECK(result.found.empty());
            for (u32 i = 0; i < 12; ++i)
                CHECK(result.out[i] == 1);
            workers[size_t(completion)] = blocks_that_worked(result, 12);
        }
    CHECK(workers[size_t(Completion::lazy)] == 12);
    CHECK(workers[size_t(Completion::eager)] == 1);
    CHECK(workers[size_t(Completion::random)] > 0);
}

TEST_CASE("with late copies, clusters are cancelled for which there is no room") {
    const std::string mark = "mov.u32 %r5, %ctaid.x; mul.wide.u32 %rd5, %r5, 4; add.u64 %rd5, %rd5, %rd2;"
                             "st.global.u32 [%rd5+2048], 1;";
    constexpr u32 tiles = 400; // more than fit on the device at once
    const Result result = run(persistent(fence, ctaid, mark), {.grid = tiles});
    CHECK(result.error == "");
    CHECK(result.found.empty());
    u32 workers = 0;
    for (u32 i = 0; i < tiles; ++i) {
        CHECK(result.out[i] == 1);
        workers += result.out[512 + i];
    }
    CHECK(workers > 1);
    CHECK(workers < tiles);
}

TEST_CASE("the vector form has all three coordinates") {
    const std::string query = "@!%p2 bra DONE; clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
                              "{%r1, %r6, %r7, _}, %q1; add.u32 %r1, %r1, %r6; add.u32 %r1, %r1, %r7;";
    const Result result = run(persistent(fence, query), {.grid = 5, .completion = Completion::eager});
    CHECK(result.error == "");
    for (u32 i = 0; i < 5; ++i)
        CHECK(result.out[i] == 1);
}

TEST_CASE("a response that is read before the wait, and one that is overwritten before it is read") {
    const std::string early = "ld.shared.u32 %r9, [response]; st.global.u32 [%rd2+1024], %r9;";
    CHECK(run(persistent(fence, ctaid, early), {.grid = 2}).found.contains("missing-wait"));
    // Without a proxy fence, the refill may overtake the read.
    CHECK_FALSE(run(persistent("", ctaid), {.grid = 4, .completion = Completion::eager}).found.empty());
    // Two threads read, and only one of them is ordered before the next request.
    const std::string two =
        "mov.u32 %r3, %tid.x; setp.eq.u32 %p3, %r3, 0; mov.u32 %r2, 0;"
        "@%p3 mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster; bar.sync 0;"
        "LOOP: @%p3 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;"
        "@%p3 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [response], [bar];"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], %r2; @!%p1 bra WAIT; xor.b32 %r2, %r2, 1;"
        "ld.shared.b128 %q1, [response]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q1;"
        "@!%p2 bra DONE; fence.proxy.async.shared::cta; BARRIER bra LOOP; DONE:";
    const auto with = [&](const std::string& barrier) {
        std::string text = two;
        return text.replace(text.find("BARRIER"), 7, barrier);
    };
    const Setup setup{.grid = 6, .block = 64, .completion = Completion::eager};
    CHECK(run(with("bar.sync 0;"), setup).found.empty());
    CHECK_FALSE(run(with(""), setup).found.empty());
}

TEST_CASE("after a failure, no request and no use of the response's coordinates") {
    const std::string again = "@%p2 bra GO; setp.ne.u32 %p4, %r8, 0; @%p4 bra DONE; mov.u32 %r8, 1; bra NEXT; GO:"
                              "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q1; NEXT:";
    CHECK(run("mov.u32 %r8, 0;" + persistent(fence, again), {.grid = 2}).found ==
          std::set<std::string>{"cluster-launch-control"});
    const std::string used = "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r9, %q1;"
                             "st.global.u32 [%rd2+1024], %r9;" +
                             ctaid;
    CHECK(run(persistent(fence, used), {.grid = 2}).found.contains("cluster-launch-control"));
    // A compiler may move the query before the branch: its result does not matter then.
    const std::string moved = "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r9, %q1; @!%p2 bra DONE;"
                              "mov.u32 %r1, %r9;";
    CHECK(run(persistent(fence, moved), {.grid = 3, .completion = Completion::eager}).found.empty());
}

/// Blocks of a cluster of two share the response to the first one's request. `expects`: the guard of the announcement.
std::string shared_by_cluster(const std::string& expects, const std::string& before = "") {
    return "mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %p3, %r3, 0; mov.u32 %r2, 0; mov.u32 %r1, %ctaid.x;"
           "mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;"
           "barrier.cluster.arrive; barrier.cluster.wait;" +
           before + "LOOP: " + expects +
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;"
           "@%p3 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
           ".multicast::cluster::all.b128 [response], [bar];"
           "mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd4, %rd2; red.global.add.u32 [%rd4], 1;"
           "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], %r2; @!%p1 bra WAIT;"
           "xor.b32 %r2, %r2, 1; ld.shared.b128 %q1, [response];"
           "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q1; @!%p2 bra DONE;"
           "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q1; add.u32 %r1, %r1, %r3;"
           "fence.proxy.async.shared::cta; barrier.cluster.arrive; barrier.cluster.wait; bra LOOP;"
           "DONE: barrier.cluster.arrive; barrier.cluster.wait;";
}

TEST_CASE("a multicast response reaches each block, and each has to expect its bytes") {
    for (const auto completion : {Completion::lazy, Completion::random, Completion::eager}) {
        const Result result = run(shared_by_cluster(""), {.grid = 10, .cluster = 2, .completion = completion});
        CHECK(result.error == "");
        CHECK(result.found.empty());
        for (u32 i = 0; i < 10; ++i)
            CHECK(result.out[i] == 1);
    }
    CHECK(run(shared_by_cluster("@%p3 "), {.grid = 4, .cluster = 2}).found.contains("deadlock"));
    const std::string leaves = "@%p3 bra LOOP; ret;";
    CHECK(run(shared_by_cluster("", leaves), {.grid = 4, .cluster = 2}).found.contains("cluster-launch-control"));
    CHECK(run(shared_by_cluster(""), {.target = "sm_100", .grid = 2, .cluster = 2})
              .error.find("needs the target sm_100f, sm_110f or sm_120f") != std::string::npos);
}

TEST_CASE("hostile operands") {
    const std::string init = expecting("16");
    const std::string request = "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 ";
    CHECK(run(init + "cvta.shared.u64 %rd4, response; cvta.shared.u64 %rd5, bar;" + request + "[%rd4], [%rd5];" + wait)
              .error == "");
    CHECK(run(init + "cvta.shared.u64 %rd5, bar;" + request + "[%rd2], [%rd5];").error.find("own shared memory") !=
          std::string::npos);
    CHECK(run(init + "cvta.shared.u64 %rd4, response; cvta.shared.u64 %rd5, bar;" + request + "[%rd4+8], [%rd5];")
              .error.find("multiple of 16") != std::string::npos);
    CHECK(run(init + "mov.b128 %q1, {%rd1, %rd2}; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q1;")
              .error == "");
    CHECK(run(init, {.target = "sm_90a"}).error == "");
    CHECK(run("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [response], [bar];",
              {.target = "sm_90a"})
              .error.find("needs the target sm_100 or newer") != std::string::npos);
}

} // namespace launch_control_test
