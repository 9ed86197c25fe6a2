#include "check/check.h"
#include "check/matrices.h"

using check::Means, check::sm_100a;

LAB(22_tensor_memory) = {
    .title = "Tensor Memory",
    .concepts = {"Tensor Memory", "tcgen05.mma", "tcgen05.commit", "instruction descriptor", "tcgen05.ld"},
    .minimum_sm = 100,
    .targets = {sm_100a},
    .needs = {{"", "tcgen05 multiplies what TMA has swizzled"}},
    .through = "every output comes through tensor copies of the matrices, multiplied by tcgen05.mma where they land",
};

namespace {

constexpr size_t TILE_M = 128, TILE_N = 128, TILE_K = 64;

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

LAB_CASE("one step", 3) {
    check_product(TILE_M, TILE_N, TILE_K);
}

LAB_CASE("several steps", 3) {
    check_product(TILE_M, TILE_N, 5 * TILE_K);
}

LAB_CASE("several tiles", 2) {
    check_product(2 * TILE_M, 2 * TILE_N, 2 * TILE_K);
}

// The four SMs have room for 16 tiles of 128 columns.
LAB_CASE("more tiles than Tensor Memory holds", 3) {
    check_product(3 * TILE_M, 6 * TILE_N, TILE_K);
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

LAB_CASE("tcgen05 multiplies what TMA has swizzled", 5) {
    constexpr size_t steps = 3;
    check_product(TILE_M, TILE_N, steps * TILE_K);
    const auto& seen = check::stats();
    check::that(loaded_once(seen.tensor_load_bytes, TILE_M, TILE_N, steps * TILE_K),
                "a tensor copy loads each tile of A and of B once; the size of D's tiles is yours to choose");
    check::that(seen.swizzled_bytes >= seen.tensor_load_bytes && seen.max_swizzle_span == 128,
                "the maps of A and B use the 128-byte swizzle");
    // Sums in fp32 may go through shared memory to D.
    check::that(seen.shared_load_bytes <= TILE_M * TILE_N * sizeof(float),
                "no thread loads a tile from shared memory: tcgen05.mma reads it there");
    check::that(check::used_by(Means::swizzled) && check::multiplied_in_place(), lab_22_tensor_memory.through);
}

} // namespace
