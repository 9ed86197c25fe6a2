#include "check/check.h"
#include "check/matrices.h"
#include "check/products.h"

using check::Means, check::sm_90a;

LAB(19_multicast_gemm) = {
    .title = "Clusters that share operands",
    .concepts = {"multicast into a ring", "arrivals on another block's barrier", "mapa", "barriers of the cluster"},
    .minimum_sm = 90,
    .targets = {sm_90a},
    .needs = {{"", "the blocks of a cluster share B"}},
    .through = "every output comes through tensor copies of the matrices, read by wgmma where they land: those of B in "
               "each block that a multicast has brought them to, in two stages or more",
    .speed = {.points = 2, .ratio = 2},
};

namespace {

constexpr size_t CLUSTER = 2, TILE_M = 128, TILE_N = 256, TILE_K = 64, STAGES = 4;

// Are these the bytes of all tiles of both operands, and those by multicast of half the tiles of B, for any size of a
// tile of D that wgmma can compute?
bool shared_and_loaded_once(uint64_t bytes, uint64_t multicast, size_t m, size_t n, size_t k) {
    for (size_t rows = 64; rows <= 256; rows += 64)
        for (size_t columns = 8; columns <= 256; columns += 8) {
            const size_t below = CLUSTER * rows, clusters = (m + below - 1) / below * ((n + columns - 1) / columns),
                         step = clusters * k * sizeof(uint16_t);
            if (multicast == step * columns && bytes == step * CLUSTER * (rows + columns))
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
    check_product(CLUSTER * TILE_M, TILE_N, TILE_K);
}

LAB_CASE("several laps of the ring", 4) {
    check_product(CLUSTER * TILE_M, TILE_N, (2 * STAGES + 1) * TILE_K);
}

LAB_CASE("more clusters than fit on the device at once", 3) {
    check_product(3 * CLUSTER * TILE_M, TILE_N, 2 * TILE_K);
}

LAB_CASE("ragged edges", 2) {
    check_product(TILE_M - 9, TILE_N + 8, TILE_K + 40);
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

LAB_CASE("the blocks of a cluster share B", 4) {
    constexpr size_t m = CLUSTER * TILE_M, k = (STAGES + 2) * TILE_K;
    check_product(m, TILE_N, k);
    const auto& seen = check::stats();
    check::that(seen.multicast_bytes > 0, "multicast copies bring each tile of B to both blocks");
    check::that(shared_and_loaded_once(seen.tensor_load_bytes, seen.multicast_bytes, m, TILE_N, k),
                "each block loads its tile of A and half of the tile of B once; the size of D's tiles is yours to "
                "choose");
    check::that(seen.swizzled_bytes >= seen.tensor_load_bytes && seen.max_swizzle_span == 128,
                "the maps of A and B use the 128-byte swizzle");
    // Sums in fp32 may go through shared memory to D.
    check::that(seen.shared_load_bytes <= m * TILE_N * sizeof(float),
                "no thread loads a tile from shared memory: wgmma reads it there");
    check::that(check::all_used(Means::multicast) && check::multiplied_in_place() &&
                    (!check::flow() || check::flow()->stages_ahead.ring >= 2),
                lab_19_multicast_gemm.through);
    // The producers' arrivals on `full` are not enough.
    check::that(seen.mbarrier_arrives > CLUSTER * k / TILE_K, "arrivals release the stages");
    check::Overlap overlap;
    check_product(m, TILE_N, 5 * STAGES * TILE_K);
    overlap.ring_of_products();
    overlap.judge("each producer fills every stage that is free, and waits for no copy of its own");
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
