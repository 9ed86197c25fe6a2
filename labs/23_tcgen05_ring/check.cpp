#include "check/check.h"
#include "check/matrices.h"

using check::Means, check::sm_100a;

LAB(23_tcgen05_ring) = {
    .title = "A ring for tcgen05",
    .concepts = {"warp roles", "stages that commits free", "two accumulators", "persistent blocks"},
    .minimum_sm = 100,
    .targets = {sm_100a},
    .needs = {{"", "tcgen05 multiplies what TMA has swizzled"}},
    .through =
        "every output comes through tensor copies of the matrices, multiplied by tcgen05.mma where they land, in "
        "two stages or more",
};

namespace {

constexpr size_t TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 4;
constexpr size_t SMS = 4; // of the simulated device

// Are these the bytes of all tiles of both operands, for any size of a tile of D that tcgen05.mma can compute?
bool loaded_once(uint64_t bytes, size_t m, size_t n, size_t k) {
    for (size_t rows = 64; rows <= 256; rows += 64)
        for (size_t columns = 8; columns <= 512; columns += 8) {
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

LAB_CASE("several laps of the ring", 2) {
    check_product(TILE_M, TILE_N, (2 * STAGES + 1) * TILE_K);
}

LAB_CASE("several tiles for each block", 3) {
    check_product(3 * TILE_M, SMS * TILE_N, 2 * TILE_K);
}

LAB_CASE("ragged edges", 2) {
    check_product(TILE_M + 9, 2 * TILE_N - 24, TILE_K + 40);
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

LAB_CASE("tcgen05 multiplies what TMA has swizzled", 4) {
    constexpr size_t steps = 6;
    check_product(TILE_M, TILE_N, steps * TILE_K);
    const auto& seen = check::stats();
    check::that(loaded_once(seen.tensor_load_bytes, TILE_M, TILE_N, steps * TILE_K),
                "a tensor copy loads each tile of A and of B once; the size of D's tiles is yours to choose");
    check::that(seen.swizzled_bytes >= seen.tensor_load_bytes && seen.max_swizzle_span == 128,
                "the maps of A and B use the 128-byte swizzle");
    // Sums in fp32 may go through shared memory to D.
    check::that(seen.shared_load_bytes <= TILE_M * TILE_N * sizeof(float),
                "no thread loads a tile from shared memory: tcgen05.mma reads it there");
    check::that(check::used_by(Means::swizzled) && check::multiplied_in_place() &&
                    (!check::flow() || check::flow()->stages_ahead.ring >= 2),
                lab_23_tcgen05_ring.through);
}

LAB_CASE("the loads run ahead", 5) {
    check::Overlap overlap;
    check_product(TILE_M, TILE_N, 16 * TILE_K);
    overlap.ring_of_products();
    overlap.judge("the producer fills every stage that is free, and waits for no copy of its own");
}

LAB_CASE("products run while the next stage is awaited", 2) {
    constexpr size_t steps = 8;
    check_product(TILE_M, TILE_N, steps * TILE_K);
    check::that(!check::flow() || 2 * check::flow()->epilogue.drained < steps,
                "the thread that multiplies waits for the next stage, not for its own products");
}

LAB_CASE("the epilogue of a tile runs beside the products of the next", 6) {
    constexpr size_t rows = 3 * TILE_M, columns = SMS * TILE_N, depth = 2 * TILE_K;
    check::Overlap overlap;
    check_product(rows, columns, depth);
    overlap.epilogues();
    overlap.judge("while the sums of a tile are loaded and stored, the next tile is multiplied into other columns");
    if (check::flow())
        check::that(check::flow()->epilogue.work * 16 <= 3 * rows * columns * depth / 2,
                    "each tile is multiplied once");
}

} // namespace
