#include "check/check.h"

#include <cmath>

using check::sm_90;

LAB(10_tma_prefetch_ring) = {
    .title = "A ring of bulk copies",
    .concepts = {"full and empty barriers", "parity", "producer warp", "elect.sync", "bytes in flight"},
    .minimum_sm = 90,
    .targets = {sm_90},
    .needs = {{"", "all stages are in flight"}},
    .through = "every output comes through bulk copies of the input, read in shared memory where they land, and "
               "in two stages or more",
    .modelled = "all stages are in flight",
    .speed = {.points = 2, .ratio = 1.8},
};

namespace {

constexpr int TILE = 2048, MAX_STAGES = 6;

check::Buffer<float> check_sum(int n, int stages) {
    const auto in = check::random<float>(n);
    const auto out = check::output<float>(1);
    float sum = 0;
    for (const float x : in)
        sum += std::abs(x);
    check::follow(check::ranges(in), check::ranges(out));
    check::call(in, out, n, stages);
    check::equal(out, {sum}, {}, 0); // every partial sum is exact
    check::unchanged(in);
    check::in_one_pass(in);
    return in;
}

LAB_CASE("one tile", 2) {
    check_sum(TILE, 4);
}

LAB_CASE("one number", 1) {
    check_sum(1, 4);
}

LAB_CASE("empty input", 1) {
    check_sum(0, 4);
}

LAB_CASE("ragged tail", 2) {
    for (const int rest : {2, 4, TILE / 2 + 3, TILE - 1})
        check_sum(8 * TILE + rest, 3);
}

LAB_CASE("several laps of the ring", 2) {
    check_sum(8 * 11 * TILE + 3 * TILE, 4);
}

LAB_CASE("any number of stages", 2) {
    for (int stages = 2; stages <= MAX_STAGES; ++stages)
        check_sum(8 * 7 * TILE, stages);
}

LAB_CASE("more tiles than fit on the device at once", 1) {
    check_sum(120 * TILE + static_cast<int>(check::random_between(1, TILE)), 2);
}

LAB_CASE("each number arrives by a bulk copy, once", 2) {
    constexpr int N = 50 * TILE + 4 * 33;
    check::brought_by_copies(check_sum(N, 4));
    check::that(check::stats().bulk_load_bytes == N * sizeof(float), "cp.async.bulk loads each number once");
    check::that(check::stats().global_load_bytes <= N * sizeof(float) / 8,
                "threads load no numbers from global memory but the last one to three, and sums of many");
}

LAB_CASE("all stages are in flight", 9) {
    check::Overlap overlap;
    for (const int stages : {MAX_STAGES, 5, 2}) {
        check::brought_by_copies(check_sum(8 * 24 * TILE, stages));
        check::that(!check::flow() || check::flow()->stages_ahead.ring >= 2, lab_10_tma_prefetch_ring.through);
        overlap.phases(static_cast<uint32_t>(stages), std::to_string(stages) + " stages");
    }
    overlap.judge("the producer keeps a copy in flight in every stage, and waits for no copy of its own");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(float);
    const auto in = check::filled<float>(n), out = check::filled<float>(1);
    for (const int stages : {2, 4, 6})
        check::measure(std::to_string(stages) + " stages", check::bench_bytes(), in, out, static_cast<int>(n), stages);
}

} // namespace
