#include "check/check.h"

using check::sm_80, check::sm_90;

LAB(08_mbarrier_parity) = {
    .title = "mbarrier and parity",
    .concepts = {"mbarrier.init", "mbarrier.arrive", "test_wait and try_wait", "parity", "cp.async.mbarrier.arrive"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .hints =
        {
            "A barrier goes through its phases one by one, 0, 1, 2, …, and a waiting thread says only whether it means "
            "an even or an odd one. In lap L of the ring, which phase of `full` does a consumer need, and which phase "
            "of `empty` the producer?",
            "Each barrier completes one phase per lap, so the parity changes when the ring has been round, not from "
            "stage to stage. A consumer in lap L waits for phase L of `full`. The producer waits for phase L − 1 of "
            "`empty`, the one that the consumers of the lap before complete; the phase before a barrier's first counts "
            "as complete, with parity 1.",
            "With .noinc, the arrival that follows the copies is one of those that init announced: one for each lane "
            "of "
            "the producer warp. At `empty`, one lane arrives for its warp, after a __syncwarp: by then all its lanes "
            "have read.",
            "The wait is a loop around one asm: `mbarrier.test_wait.parity.shared.b64 p, [%1], %2;` sets a predicate, "
            "selp makes it a number. It must be volatile, since the same question gets another answer later, and "
            "clobber memory, since what is read after it must not be read before it.",
            "(4) init(&full[s], 32); init(&empty[s], CONSUMERS);  (5) wait(&empty[stage], (lap + 1) % 2); copies; "
            "arrive_when_copied(&full[stage]);  (6) wait(&full[stage], lap % 2); read; __syncwarp(); if (lane == 0) "
            "arrive(&empty[stage]);",
        },
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
    check::call(in, out, n);
    check::equal(out, swapped(in.values()));
    check::unchanged(in);
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

LAB_CASE("ragged tail", 3) {
    for (const int rest : {1, TILE / 2 + 2, TILE - 1})
        check_swap(8 * TILE + rest);
}

LAB_CASE("several laps of the ring", 4) {
    check_swap(8 * 13 * TILE + 3 * TILE);
}

LAB_CASE("more tiles than fit on the device at once", 2) {
    check_swap(150 * TILE + static_cast<int>(check::random_between(1, TILE)));
}

LAB_CASE("the input is copied once, asynchronously", 2) {
    constexpr uint64_t TILES = 40;
    check_swap(TILES * TILE);
    check::that(check::stats().cp_async_bytes == TILES * TILE * sizeof(uint32_t),
                "each number reaches shared memory by cp.async, once");
    check::that(check::stats().staged_bytes == 0, "nothing goes through registers");
}

LAB_CASE("the producer runs ahead", 4) {
    check_swap(8 * 12 * TILE);
    check::that(check::stats().mbarrier_waits > 0, "threads wait at the barriers of a stage");
    check::that(check::stats().waits == 0, "nobody waits for copies of its own: the barriers stand for them");
    check::that(check::stats().block_barriers <= 64, "no barrier of the whole block is met in every round");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(uint32_t);
    const auto in = check::filled<uint32_t>(n), out = check::filled<uint32_t>(n);
    check::measure("", 2 * check::bench_bytes(), in, out, static_cast<int>(n));
}

} // namespace
