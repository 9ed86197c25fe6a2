#include "check/check.h"

#include <algorithm>

using check::sm_90;

LAB(09_tma_bulk_1d) = {
    .title = "Bulk copies",
    .concepts = {"cp.async.bulk", "expect_tx", "elect.sync", "fence.proxy.async", "bulk async-groups",
                 "wait_group.read"},
    .minimum_sm = 90,
    .targets = {sm_90},
    .hints =
        {
            "One thread does all the copying; it moves a tile in one instruction. For each of the two copies, ask: how "
            "does it become known that the copy is complete, who can wait for that, and what must have been done "
            "before "
            "the copy may begin?",
            "A phase of `full` is complete when all announced arrivals have been made and all announced bytes are "
            "there. The issuer is the only one to arrive, and announces the bytes while it does so. Everybody waits, "
            "with a parity that is 0 for the first tile and changes with every tile.",
            "The tile was changed through the generic proxy, and the store reads it through the async proxy. A barrier "
            "orders the first with the issuer, and a fence.proxy.async carries it over to the second. A fence covers "
            "only what its thread already knows of: so each writer executes one before the barrier (or the issuer one "
            "after it).",
            "The store belongs to the issuer's bulk groups: commit, then wait. No other thread can wait for it. With "
            ".read the wait is over when the tile has been read, and that is all that the next load needs to know.",
            "(2) if (issuer) { ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, "
            "&full, "
            "bytes); ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, samples + first, bytes, &full); } "
            " "
            "(3) wait(&full, parity); parity ^= 1;  (5) ptx::fence_proxy_async(ptx::space_shared); __syncthreads();  "
            "(6) "
            "if (issuer) { ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, samples + first, tile, bytes); "
            "ptx::cp_async_bulk_commit_group(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); }",
        },
};

namespace {

constexpr int TILE = 2048;

std::vector<float> amplified(std::vector<float> samples, float gain) {
    for (float& sample : samples)
        sample = std::clamp(gain * sample, -1.0f, 1.0f);
    return samples;
}

void check_amplifier(int n, float gain = 0.375f) {
    const auto samples = check::random<float>(n);
    check::call(samples, n, gain);
    check::equal(samples, amplified(samples.values(), gain));
}

LAB_CASE("one tile", 2) {
    check_amplifier(TILE);
}

LAB_CASE("one sample", 1) {
    check_amplifier(1);
}

LAB_CASE("empty input", 1) {
    check_amplifier(0);
}

LAB_CASE("ragged tail", 3) {
    for (const int rest : {2, 4, TILE / 2 + 3, TILE - 1})
        check_amplifier(16 * TILE + rest);
}

LAB_CASE("several tiles for each block", 5) {
    check_amplifier(16 * 7 * TILE + 5 * TILE, -1.5f);
}

LAB_CASE("more tiles than fit on the device at once", 2) {
    check_amplifier(200 * TILE + static_cast<int>(check::random_between(1, TILE)), 0.5f);
}

LAB_CASE("each sample moves by bulk copies, once in and once out", 5) {
    constexpr int N = 40 * TILE + 4 * 77;
    check_amplifier(N);
    check::that(check::stats().bulk_load_bytes == N * sizeof(float), "each sample is loaded by cp.async.bulk, once");
    check::that(check::stats().bulk_store_bytes == N * sizeof(float), "each sample is stored by cp.async.bulk, once");
    check::that(check::stats().global_load_bytes == 0 && check::stats().global_store_bytes == 0,
                "threads touch global memory themselves only for the last one to three samples");
}

LAB_BENCH {
    const size_t n = check::bench_bytes() / sizeof(float);
    check::measure("", 2 * check::bench_bytes(), check::filled<float>(n), static_cast<int>(n), 0.375f);
}

} // namespace
