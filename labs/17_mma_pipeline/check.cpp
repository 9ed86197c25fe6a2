#include "check/check.h"
#include "check/matrices.h"
#include "check/products.h"

using check::sm_80, check::sm_90;

LAB(17_mma_pipeline) = {
    .title = "Tensor cores fed by cp.async",
    .concepts = {"mma.sync", "ldmatrix", "fragments", "a swizzle by hand", "cp.async.wait_group"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .needs = {{"", "tensor cores multiply what STAGES - 1 tiles of copies bring"}},
    .through = "every output comes through cp.async: copies of the matrices, read in shared memory where they "
               "land and multiplied by tensor cores, with groups of such copies in flight meanwhile",
    .speed = {.points = 2, .ratio = 1.3},
};

namespace {

constexpr size_t TILE_M = 256, TILE_N = 128, TILE_K = 64; // as in kernel.cu

// The values and their sums are exact, so the result does not depend on the order of the additions.
void check_product(size_t m, size_t n, size_t k, int stages) {
    const auto values_a = check::random_values<float>(m * k), values_b = check::random_values<float>(n * k);
    const auto a = check::device(check::to_bf16(values_a)), b = check::device(check::to_bf16(values_b));
    const auto d = check::output<uint16_t>(m * n);
    check::follow(check::ranges(a, b), check::ranges(d));
    check::call(a, b, d, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), stages);
    check::equal_bf16(d, check::product(values_a, values_b, m, n, k), {m, n});
    check::unchanged(a);
    check::unchanged(b);
    check::brought_and_multiplied(a, b);
}

LAB_CASE("one tile of the operands", 2) {
    check_product(TILE_M, TILE_N, TILE_K, 4);
    check::that(2 * check::stats().thread_instructions <= TILE_M * TILE_N * TILE_K, "tensor cores multiply");
}

LAB_CASE("several laps of the ring", 2) {
    for (const size_t stages : {2, 3, 4})
        check_product(TILE_M, TILE_N, (2 * stages + 1) * TILE_K, static_cast<int>(stages));
}

LAB_CASE("fewer tiles than stages", 2) {
    check_product(TILE_M, TILE_N, 2 * TILE_K, 4);
}

LAB_CASE("several tiles of the result", 2) {
    check_product(2 * TILE_M, 3 * TILE_N, TILE_K, 3);
}

LAB_CASE("ragged edges", 2) {
    check_product(9, 24, 40, 3);
    check_product(TILE_M + 3, TILE_N - 8, TILE_K + 24, 2);
}

LAB_CASE("products without elements, and of none", 1) {
    check_product(0, 8, 8, 4);
    check_product(8, 0, 8, 4);
    check_product(5, 8, 0, 4);
}

LAB_CASE("no bank conflicts", 3) {
    check_product(TILE_M, TILE_N, 2 * TILE_K, 3);
    const auto& seen = check::stats();
    check::that(seen.shared_accesses > 0 && seen.shared_bank_cycles == seen.shared_accesses,
                "the eight rows of a matrix that ldmatrix loads are in different banks");
}

LAB_CASE("tensor cores multiply what STAGES - 1 tiles of copies bring", 8) {
    constexpr size_t tiles = 13, products = TILE_M * TILE_N * tiles * TILE_K;
    check::Overlap overlap;
    check_product(TILE_M, TILE_N, tiles * TILE_K, 4);
    const bool four_fit = check::target() != sm_80; // whose blocks get 163 KiB of shared memory at most
    overlap.groups(four_fit ? 3 : 2, four_fit ? "4 stages" : "3 stages, as many as fit");
    const auto& seen = check::stats();
    check::that(2 * seen.thread_instructions <= products, "tensor cores multiply: a thread's instruction is worth many "
                                                          "products");
    check::that(seen.staged_bytes == 0, "no input is staged through registers");
    check::that(seen.waits == 0 || seen.max_copy_groups >= 1, "with 4 stages, a wait leaves groups in flight");
    check::that(check::multiplied() && (!check::flow() || check::flow()->groups >= 1), lab_17_mma_pipeline.through);
    check::that(2 * seen.instructions_under_copies >= seen.thread_instructions,
                "while a tile is multiplied, copies of later tiles are in flight");
    check::that(seen.cp_async_bytes >= tiles * (TILE_M + TILE_N) * TILE_K * sizeof(uint16_t),
                "cp.async copies every tile of the operands");
    check_product(TILE_M, TILE_N, tiles * TILE_K, 3);
    overlap.groups(2, "3 stages");
    overlap.judge("STAGES - 1 tiles are in flight while a tile is multiplied, for every number of stages");
}

LAB_CASE("one barrier for each tile of the operands", 2) {
    check_product(TILE_M, TILE_N, 5 * TILE_K, 3);
    uint64_t blocks = 0; // which may compute smaller tiles of D
    for (const auto& launch : check::launches())
        blocks += uint64_t{launch.config.grid.x} * launch.config.grid.y * launch.config.grid.z;
    check::that(check::stats().block_barriers <= blocks * (5 + 1),
                "a block meets once before the loop and once in each round, which multiplies 64 columns");
}

// The bytes are those of the three matrices.
LAB_BENCH {
    const bool on_gpu = check::bench_bytes() >= size_t{1} << 30;
    for (const size_t edge : on_gpu ? std::vector<size_t>{4096, 8192} : std::vector<size_t>{512}) {
        const auto a = check::filled<uint16_t>(edge * edge), b = check::filled<uint16_t>(edge * edge),
                   d = check::filled<uint16_t>(edge * edge);
        const auto n = static_cast<int>(edge);
        for (const int stages : {2, 3, 4})
            check::measure_product(std::to_string(edge) + " cubed, " + std::to_string(stages) + " stages", edge, edge,
                                   edge, a, b, d, n, n, n, stages);
    }
}

} // namespace
