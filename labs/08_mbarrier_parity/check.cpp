#include "check/check.h"

using check::sm_80, check::sm_90;

LAB(08_mbarrier_parity) = {
    .title = "mbarrier and parity",
    .concepts = {"mbarrier.init", "mbarrier.arrive", "test_wait and try_wait", "parity", "cp.async.mbarrier.arrive"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .needs = {{"", "the producer runs ahead"}},
    .through = "every output comes through cp.async: copies of the input that an mbarrier tracks, read in shared "
               "memory where they land, in two stages or more",
    .modelled = "the producer runs ahead",
    .speed = {.points = 2, .ratio = 1.4},
};

namespace {

constexpr int TILE = 2048;

std::vector<uint32_t> swapped(const std::vector<uint32_t>& in) {
    std::vector<uint32_t> out(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        out[i] = in[i] >> 24 | (in[i] >> 8 & 0xff00) | (in[i] << 8 & 0xff0000) | in[i] << 24;
    return out;
}

void check_swap(int n) {
    const auto in = check::random<uint32_t>(n);
    const auto out = check::output<uint32_t>(n);
    check::follow(check::ranges(in), check::ranges(out));
    check::call(in, out, n);
    check::equal(out, swapped(in.values()));
    check::unchanged(in);
    check::brought_by_copies(in);
    check::in_one_pass(in);
}

LAB_CASE("one tile", 2) {
    check_swap(TILE);
}

LAB_CASE("one number", 1) {
    check_swap(1);
}

LAB_CASE("empty input", 1) {
    check_swap(0);
}

LAB_CASE("ragged tail", 2) {
    for (const int rest : {1, TILE / 2 + 2, TILE - 1})
        check_swap(8 * TILE + rest);
}

LAB_CASE("several laps of the ring", 2) {
    check_swap(8 * 13 * TILE + 3 * TILE);
}

LAB_CASE("more tiles than fit on the device at once", 1) {
    check_swap(150 * TILE + static_cast<int>(check::random_between(1, TILE)));
}

LAB_CASE("the input is copied once, asynchronously", 2) {
    constexpr uint64_t TILES = 40;
    check_swap(TILES * TILE);
    check::that(check::stats().cp_async_bytes == TILES * TILE * sizeof(uint32_t),
                "cp.async moves each number to shared memory once");
    check::that(check::stats().staged_bytes == 0, "no input is staged through registers");
}

LAB_CASE("the producer runs ahead", 8) {
    check::Overlap overlap;
    check_swap(8 * 12 * TILE);
    check::that(check::stats().mbarrier_waits > 0, "threads wait on the barriers of a stage");
    check::that(check::stats().waits == 0, "no thread waits for its own copies, because the barriers track them");
    check::that(!check::flow() || check::flow()->stages_ahead.ring >= 2, lab_08_mbarrier_parity.through);
    check::that(check::stats().block_barriers <= 64, "the rounds have no barrier for the whole block");
    overlap.ring();
    overlap.judge("the producer fills every stage that is free, and waits for no copy of its own");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(uint32_t);
    const auto in = check::filled<uint32_t>(n), out = check::filled<uint32_t>(n);
    check::measure("", 2 * check::bench_bytes(), in, out, static_cast<int>(n));
}

} // namespace
