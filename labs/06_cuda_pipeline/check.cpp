#include <numeric>

#include "check/check.h"

using check::sm_80, check::sm_90;

LAB(06_cuda_pipeline) = {
    .title = "cuda::pipeline",
    .concepts = {"cuda::pipeline", "cuda::memcpy_async", "thread scope", "block scope", "producers and consumers"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .needs = {{"", "several stages are in flight"}},
    .through = "every output comes through cp.async: copies of the input, read in shared memory where they land, "
               "with groups of such copies in flight, or in two stages or more that barriers track",
    .modelled = "several stages are in flight",
    .speed = {.points = 2, .ratio = 1.4},
};

namespace {

constexpr int TILE = 2048, STAGES = 4;
enum class Scope : int { thread, block, partitioned };

check::Buffer<uint32_t> check_sum(int n, Scope scope) {
    const auto in = check::random<uint32_t>(n);
    const auto total = check::output<uint32_t>(1);
    check::follow(check::ranges(in), check::ranges(total));
    check::call(in, total, n, scope);
    check::equal(total, {std::accumulate(in.begin(), in.end(), uint32_t{0})});
    check::unchanged(in);
    check::in_one_pass(in);
    return in;
}

void check_sizes(Scope scope) {
    check_sum(TILE, scope);
    check_sum(1, scope);
    check_sum(0, scope);
    check_sum(19 * TILE + static_cast<int>(check::random_between(1, 3)), scope);
    check_sum(8 * TILE + static_cast<int>(check::random_between(4, TILE - 1)), scope);
}

void check_many_tiles(Scope scope) {
    check_sum(100 * TILE + static_cast<int>(check::random_between(1, TILE)), scope);
}

LAB_CASE("one pipeline per thread", 3) {
    check_sizes(Scope::thread);
}

LAB_CASE("one pipeline per thread, more tiles than fit at once", 1) {
    check_many_tiles(Scope::thread);
}

LAB_CASE("one pipeline for the block", 3) {
    check_sizes(Scope::block);
}

LAB_CASE("one pipeline for the block, more tiles than fit at once", 1) {
    check_many_tiles(Scope::block);
}

LAB_CASE("producers and consumers", 2) {
    check_sizes(Scope::partitioned);
}

LAB_CASE("producers and consumers, more tiles than fit at once", 1) {
    check_many_tiles(Scope::partitioned);
}

LAB_CASE("the input is copied once, asynchronously", 3) {
    for (const Scope scope : {Scope::thread, Scope::block, Scope::partitioned}) {
        check::brought_by_copies(check_sum(24 * TILE, scope));
        check::that(check::stats().cp_async_bytes == 24 * TILE * sizeof(uint32_t),
                    "cp.async moves each number to shared memory once");
        check::that(check::stats().staged_bytes == 0, "no input is staged through registers");
    }
}

LAB_CASE("several stages are in flight", 8) {
    check::Overlap overlap;
    // Only with thread scope are there groups to count. Block scope makes the same calls in the same order.
    check::brought_by_copies(check_sum(160 * TILE, Scope::thread));
    check::that(!check::flow() || check::flow()->groups >= 1, lab_06_cuda_pipeline.through);
    overlap.groups(STAGES, "thread scope");
    for (const Scope scope : {Scope::block, Scope::partitioned}) {
        check::brought_by_copies(check_sum(160 * TILE, scope));
        check::that(check::stats().mbarrier_waits > 0, "block scope: threads wait on the barriers of a stage");
        check::that(check::stats().waits == 0,
                    "block scope: no thread waits for its own copies, because the barriers track them");
        check::that(!check::flow() || check::flow()->stages_ahead.ring >= 2, lab_06_cuda_pipeline.through);
        overlap.ring(scope == Scope::block ? "block scope, unified" : "block scope, partitioned");
    }
    overlap.judge("the copies of STAGES - 1 tiles are in flight while a tile is added up");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(uint32_t);
    const auto in = check::filled<uint32_t>(n), total = check::filled<uint32_t>(1);
    check::measure("thread scope", check::bench_bytes(), in, total, static_cast<int>(n), Scope::thread);
    check::measure("block scope, unified", check::bench_bytes(), in, total, static_cast<int>(n), Scope::block);
    check::measure("block scope, partitioned", check::bench_bytes(), in, total, static_cast<int>(n),
                   Scope::partitioned);
}

} // namespace
