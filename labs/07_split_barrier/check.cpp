#include "check/check.h"

using check::sm_80, check::sm_90;

LAB(07_split_barrier) = {
    .title = "A barrier in two halves",
    .concepts = {"arrive and wait", "tokens", "warp specialisation", "__mbarrier_*", "__pipeline_arrive_on"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .needs = {{"", "the producer runs ahead"}},
    .through = "every output comes through cp.async: copies of the input that an mbarrier tracks, read in shared "
               "memory where they land, in two stages or more",
    .modelled = "the producer runs ahead",
};

namespace {

constexpr int ROW = 128, TILE = 4 * ROW;

std::vector<uint32_t> decoded(const std::vector<uint32_t>& in) {
    std::vector<uint32_t> out(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        out[i] = in[i] + (i % ROW == 0 ? 0 : out[i - 1]);
    return out;
}

void check_decode(int n) {
    const auto in = check::random<uint32_t>(n);
    const auto out = check::output<uint32_t>(n);
    check::follow(check::ranges(in), check::ranges(out));
    check::call(in, out, n);
    check::equal(out, decoded(in.values()));
    check::unchanged(in);
    check::brought_by_copies(in);
    check::in_one_pass(in);
}

LAB_CASE("one tile", 2) {
    check_decode(TILE);
}

LAB_CASE("one sample", 1) {
    check_decode(1);
}

LAB_CASE("empty input", 1) {
    check_decode(0);
}

LAB_CASE("ragged tail", 2) {
    for (const int rest : {1, ROW + 2, TILE - 1})
        check_decode(16 * TILE + rest);
}

LAB_CASE("several laps of the ring", 2) {
    check_decode(16 * 13 * TILE + 5 * TILE);
}

LAB_CASE("more tiles than fit on the device at once", 1) {
    check_decode(400 * TILE + static_cast<int>(check::random_between(1, TILE)));
}

LAB_CASE("the input is copied once, asynchronously", 2) {
    constexpr uint64_t TILES = 48;
    check_decode(TILES * TILE);
    check::that(check::stats().cp_async_bytes == TILES * TILE * sizeof(uint32_t),
                "cp.async moves each sample to shared memory once");
    check::that(check::stats().staged_bytes == 0, "no input is staged through registers");
}

LAB_CASE("the producer runs ahead", 8) {
    check::Overlap overlap;
    check_decode(16 * 12 * TILE);
    check::that(check::stats().mbarrier_waits > 0, "threads wait on the barriers of a stage");
    check::that(check::stats().waits == 0, "no thread waits for its own copies, because the barriers track them");
    check::that(!check::flow() || check::flow()->stages_ahead.ring >= 2, lab_07_split_barrier.through);
    overlap.ring();
    overlap.judge("the producer fills every stage that is free, and waits for no copy of its own");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(uint32_t);
    const auto in = check::filled<uint32_t>(n), out = check::filled<uint32_t>(n);
    check::measure("", 2 * check::bench_bytes(), in, out, static_cast<int>(n));
}

} // namespace
