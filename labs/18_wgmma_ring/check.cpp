#include "check/check.h"
#include "check/matrices.h"
#include "check/products.h"

using check::Means, check::sm_90a;

LAB(18_wgmma_ring) = {
    .title = "wgmma fed by a ring",
    .concepts = {"matrix descriptors", "wgmma groups", "wgmma.fence", "warpgroups", "setmaxnreg"},
    .minimum_sm = 90,
    .targets = {sm_90a},
    .needs = {{"", "wgmma reads what TMA has swizzled"}},
    .through = "every output comes through tensor copies of the matrices, read by wgmma where they land, in "
               "two stages or more",
    .speed = {.points = 2, .ratio = 1.5},
};

namespace {

constexpr size_t TILE_M = 128, TILE_N = 256, TILE_K = 64, STAGES = 4;

// Are these the bytes of all tiles of both operands, for any size of a tile of D that wgmma can compute?
bool loaded_once(uint64_t bytes, size_t m, size_t n, size_t k) {
    for (size_t rows = 64; rows <= 256; rows += 64)
        for (size_t columns = 8; columns <= 256; columns += 8) {
            const size_t tiles = (m + rows - 1) / rows * ((n + columns - 1) / columns);
            if (bytes == tiles * (rows + columns) * k * sizeof(uint16_t))
                return true;
        }
    return false;
}

// The values and their sums are exact, so the result does not depend on the order of the additions.
void check_product(size_t m, size_t n, size_t k) {
    const auto values_a = check::random_values<float>(m * k), values_b = check::random_values<float>(n * k);
    const auto a = check::device(check::to_bf16(values_a)), b = check::device(check::to_bf16(values_b));
    const auto d = check::output<uint16_t>(m * n);
    check::follow(check::ranges(a, b), check::ranges(d));
    check::call(a, b, d, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k));
    check::equal_bf16(d, check::product(values_a, values_b, m, n, k), {m, n});
    check::unchanged(a);
    check::unchanged(b);
    check::brought_and_multiplied(a, b);
}

LAB_CASE("one step", 2) {
    check_product(TILE_M, TILE_N, TILE_K);
}

LAB_CASE("as many steps as stages", 2) {
    check_product(TILE_M, TILE_N, STAGES * TILE_K);
}

LAB_CASE("several laps of the ring", 2) {
    check_product(TILE_M, TILE_N, (2 * STAGES + 1) * TILE_K);
}

LAB_CASE("several tiles", 2) {
    check_product(2 * TILE_M, 2 * TILE_N, 2 * TILE_K);
}

LAB_CASE("ragged edges", 2) {
    check_product(TILE_M + 9, TILE_N - 24, TILE_K + 40);
}

LAB_CASE("a product without elements", 1) {
    check_product(0, TILE_N, TILE_K);
    check_product(TILE_M, 0, TILE_K);
}

LAB_CASE("nothing to add up", 1) {
    const auto d = check::output<uint16_t>(TILE_M * TILE_N);
    check::call(check::device<uint16_t>({}), check::device<uint16_t>({}), d, int{TILE_M}, int{TILE_N}, 0);
    check::that(d.read() == std::vector<uint16_t>(d.size()), "D is zero if k is zero");
}

LAB_CASE("wgmma reads what TMA has swizzled", 4) {
    constexpr size_t steps = 6;
    check_product(TILE_M, TILE_N, steps * TILE_K);
    const auto& seen = check::stats();
    check::that(loaded_once(seen.tensor_load_bytes, TILE_M, TILE_N, steps * TILE_K),
                "a tensor copy loads each tile of A and of B once; the size of D's tiles is yours to choose");
    check::that(seen.swizzled_bytes >= seen.tensor_load_bytes && seen.max_swizzle_span == 128,
                "the maps of A and B use the 128-byte swizzle");
    // Sums in fp32 may go through shared memory to D.
    check::that(seen.shared_load_bytes <= TILE_M * TILE_N * sizeof(float),
                "no thread loads a tile from shared memory: wgmma reads it there");
    check::that(check::used_by(Means::swizzled) && check::multiplied_in_place() &&
                    (!check::flow() || check::flow()->stages_ahead.ring >= 2),
                lab_18_wgmma_ring.through);
}

LAB_CASE("the producer runs ahead", 7) {
    check::Overlap overlap;
    check_product(TILE_M, TILE_N, 20 * TILE_K);
    overlap.ring_of_products();
    overlap.judge("the producer fills every stage that is free, and waits for no copy of its own");
}

// On an H100 and an H200 the kernel is as fast without.
LAB_CASE("a group of products stays in flight", 1) {
    check_product(TILE_M, TILE_N, 6 * TILE_K);
    check::that(check::stats().max_matrix_groups >= 1,
                "a wgmma group is in flight when the warpgroup waits for the next stage");
}

LAB_CASE("registers move to the consumers", 2) {
    check_product(TILE_M, TILE_N, TILE_K);
    check::registers_moved();
}

// The bytes are those of the three matrices.
// On the simulated device the matrices are smaller, but blocks share tiles of them there, too.
LAB_BENCH {
    const bool on_gpu = check::bench_bytes() >= size_t{1} << 30;
    for (const size_t edge : on_gpu ? std::vector<size_t>{4096, 8192} : std::vector<size_t>{768}) {
        const size_t depth = on_gpu ? edge : 1024;
        const auto a = check::filled<uint16_t>(edge * depth), b = check::filled<uint16_t>(edge * depth),
                   d = check::filled<uint16_t>(edge * edge);
        const auto n = static_cast<int>(edge), k = static_cast<int>(depth);
        check::measure_product(on_gpu ? std::to_string(edge) + " cubed" : "a small product", edge, edge, depth, a, b, d,
                               n, n, k);
    }
}

} // namespace
