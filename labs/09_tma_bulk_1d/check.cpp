#include "check/check.h"

#include <algorithm>

using check::sm_90;

LAB(09_tma_bulk_1d) = {
    .title = "Bulk copies",
    .concepts = {"cp.async.bulk", "expect_tx", "elect.sync", "fence.proxy.async", "bulk async-groups",
                 "wait_group.read"},
    .minimum_sm = 90,
    .targets = {sm_90},
    .needs = {{"", "each sample moves by bulk copies, once in and once out"}},
    .modelled = "more tiles than fit on the device at once",
};

namespace {

constexpr int TILE = 2048;

std::vector<float> amplified(std::vector<float> samples, float gain) {
    for (float& sample : samples)
        sample = std::clamp(gain * sample, -1.0f, 1.0f);
    return samples;
}

check::Buffer<float> check_amplifier(int n, float gain = 0.375f) {
    const auto samples = check::random<float>(n);
    check::follow(check::ranges(samples), check::ranges(samples));
    check::call(samples, n, gain);
    check::equal(samples, amplified(samples.values(), gain));
    return samples;
}

LAB_CASE("one tile", 3) {
    check_amplifier(TILE);
}

LAB_CASE("one sample", 1) {
    check_amplifier(1);
}

LAB_CASE("empty input", 0) {
    check_amplifier(0);
}

LAB_CASE("ragged tail", 3) {
    for (const int rest : {2, 4, TILE / 2 + 3, TILE - 1})
        check_amplifier(16 * TILE + rest);
}

LAB_CASE("several tiles per block", 5) {
    check_amplifier(16 * 7 * TILE + 5 * TILE, -1.5f);
}

LAB_CASE("more tiles than fit on the device at once", 2) {
    check_amplifier(200 * TILE + static_cast<int>(check::random_between(1, TILE)), 0.5f);
}

LAB_CASE("each sample moves by bulk copies, once in and once out", 5) {
    constexpr int N = 40 * TILE + 4 * 77;
    const auto samples = check_amplifier(N);
    check::brought_by_copies(samples);
    check::that(check::stats().bulk_load_bytes == N * sizeof(float), "cp.async.bulk loads each sample once");
    check::that(check::stats().bulk_store_bytes == N * sizeof(float), "cp.async.bulk stores each sample once");
    check::that(check::stats().global_load_bytes == 0 && check::stats().global_store_bytes == 0,
                "threads access global memory only for the last one to three samples");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(float);
    check::measure("", 2 * check::bench_bytes(), check::filled<float>(n), static_cast<int>(n), 0.375f);
}

} // namespace
