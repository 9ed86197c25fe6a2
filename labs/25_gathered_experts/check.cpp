#include <numeric>

#include "check/check.h"
#include "check/matrices.h"
#include "check/streams.h"

using check::Means, check::sm_100a;

LAB(25_gathered_experts) = {
    .title = "Gathered experts",
    .concepts = {"tile::gather4 and tile::scatter4", "a tensor map for each expert", "cluster launch control",
                 "tcgen05"},
    .minimum_sm = 100,
    .targets = {sm_100a},
    .needs = {{"", "rows are gathered, multiplied in place and scattered"}},
    .through =
        "every output comes through tensor copies of rows and weights, multiplied by tcgen05.mma where they land, and "
        "leaves through such a copy",
};

namespace {

constexpr size_t TILE_M = 128, TILE_N = 128, TILE_K = 64, ELEMENT = sizeof(uint16_t), STAGES = 3;
constexpr size_t SMS = 4; // of the simulated device

struct Expert { // as in kernel.cu
    uint64_t weights;
    int32_t first, rows, first_tile, padding;
};

int32_t number(size_t value) {
    return static_cast<int32_t>(value);
}

// The numbers of the tokens, in any order.
std::vector<int32_t> shuffled(size_t count) {
    std::vector<int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = count; i > 1; --i)
        std::swap(order[i - 1], order[static_cast<size_t>(check::random_between(0, static_cast<int64_t>(i) - 1))]);
    return order;
}

struct Layer {
    std::vector<size_t> rows; // of each expert
    size_t n, k, tokens, tiles = 0;
    std::vector<float> x_values;
    check::Buffer<uint16_t> x, y;
    std::vector<int32_t> order;
    std::vector<std::vector<float>> weight_values;
    std::vector<check::Buffer<uint16_t>> weights;
    std::vector<Expert> experts;

    Layer(const std::vector<size_t>& all, size_t columns, size_t depth)
        : rows(all), n(columns), k(depth), tokens(std::accumulate(all.begin(), all.end(), size_t{0})),
          x_values(check::random_values<float>(tokens * k)), x(check::device(check::to_bf16(x_values))),
          y(check::output<uint16_t>(tokens * n)), order(shuffled(tokens)) {
        size_t first = 0;
        for (const size_t count : rows) {
            weight_values.push_back(check::random_values<float>(n * k));
            weights.push_back(check::device(check::to_bf16(weight_values.back())));
            experts.push_back({weights.back().address(), number(first), number(count), number(tiles), 0});
            first += count;
            tiles += (count + TILE_M - 1) / TILE_M * ((n + TILE_N - 1) / TILE_N);
        }
    }
    void follow() const {
        std::vector<sim::provenance::Range> inputs = check::ranges(weights);
        inputs.push_back(check::ranges(x).front());
        check::follow(inputs, check::ranges(y));
    }
    // The values and their sums are exact, so the result does not depend on the order of the additions.
    void check_results() const {
        std::vector<uint16_t> expected(y.size());
        for (size_t e = 0, at = 0; e < rows.size(); ++e)
            for (size_t i = 0; i < rows[e]; ++i, ++at) {
                const auto token = static_cast<size_t>(order[at]);
                for (size_t column = 0; column < n; ++column)
                    expected[token * n + column] = check::to_bf16(
                        check::dot(x_values.data() + token * k, weight_values[e].data() + column * k, k));
            }
        check::equal_bf16(y, expected, {tokens, n});
        check::unchanged(x);
        for (const auto& one : weights)
            check::unchanged(one);
        check::brought_and_multiplied(x);
        for (const auto& one : weights)
            check::brought_and_multiplied(one);
    }
};

// Returns the number of tiles.
size_t check_layer(const std::vector<size_t>& rows, size_t n, size_t k) {
    const Layer layer(rows, n, k);
    layer.follow();
    check::call(layer.x, layer.y, check::device(layer.order), check::device(layer.experts), number(rows.size()),
                number(layer.tokens), number(n), number(k), number(layer.tiles));
    layer.check_results();
    return layer.tiles;
}

// --- checkpoint 1: a tile --------------------------------------------------------------------------------------------

LAB_CASE("one tile", 2) {
    check_layer({TILE_M}, TILE_N, 2 * TILE_K);
}

LAB_CASE("one token", 1) {
    check_layer({1}, 8, 8);
}

LAB_CASE("no token", 1) {
    check_layer({0, 0}, TILE_N, TILE_K);
}

LAB_CASE("ragged edges", 2) {
    check_layer({TILE_M + 9}, TILE_N - 24, TILE_K + 40);
}

LAB_CASE("experts of different sizes", 3) {
    check_layer({70, 0, 31, 1}, TILE_N, 3 * TILE_K);
}

LAB_CASE("rows are gathered, multiplied in place and scattered", 5) {
    constexpr size_t steps = 2;
    const size_t tiles = check_layer({TILE_M, 2 * TILE_M}, TILE_N, steps * TILE_K);
    const auto& seen = check::stats();
    check::that(seen.tensor_load_bytes == tiles * steps * (TILE_M + TILE_N) * TILE_K * ELEMENT,
                "a tensor copy loads each row and each tile of weights once, for tiles of 128 x 128 results");
    check::that(seen.tensor_store_bytes == tiles * TILE_M * TILE_N * ELEMENT, "tensor copies store the results");
    check::that(seen.gathered_bytes == tiles * (steps * TILE_M * TILE_K + TILE_M * TILE_N) * ELEMENT,
                "each load of rows is a gather4, each store of them a scatter4");
    check::that(seen.swizzled_bytes == seen.tensor_load_bytes + seen.tensor_store_bytes && seen.max_swizzle_span == 128,
                "all maps use the 128-byte swizzle");
    check::that(seen.map_replacements >= 2, "tensormap.replace makes the maps of the weights");
    // Responses and results may be read there.
    check::that(seen.shared_load_bytes <= 2 * tiles * TILE_M * TILE_N * ELEMENT,
                "no thread loads an operand from shared memory: tcgen05.mma reads it there");
    check::that(seen.global_store_bytes <= tiles * TILE_M * TILE_N * ELEMENT / 8, "threads do not write the results");
    const auto* flow = check::flow();
    check::that(check::used_by(Means::swizzled) && check::stored_by(Means::swizzled) && check::multiplied_in_place() &&
                    (!flow || (*flow)[Means::device_map].used * 20 >= flow->used * 9), // of half of the operands
                lab_25_gathered_experts.through);
}

// Of two schedules with late copies, the second cancels no cluster, and results are not followed in it.
void tiles_are_taken_over() {
    const auto* flow = check::flow();
    check::that(check::stats().cancelled_clusters > 0 || (flow && flow->results == 0),
                "running blocks request tiles of blocks that have not started");
}

// --- checkpoint 2: tiles of other blocks -----------------------------------------------------------------------------

LAB_CASE("one block for each tile", 1) {
    const size_t tiles = check_layer(std::vector<size_t>(2 * SMS, 40), 80, TILE_K);
    check::that(check::launches().size() == 1 && check::launches().front().config.grid.count() == tiles,
                "one launch, with a block for each tile");
}

LAB_CASE("blocks take over tiles", 6) {
    check_layer({3 * TILE_M, 200, TILE_M}, 2 * TILE_N, TILE_K);
    tiles_are_taken_over();
}

LAB_CASE("two launches in two streams", 1) {
    const Layer one({50, 70}, 40, TILE_K), other({30, 20, 90}, 40, TILE_K);
    const auto pass = [](const Layer& layer, auto how) {
        how(layer.x, layer.y, check::device(layer.order), check::device(layer.experts), number(layer.rows.size()),
            number(layer.tokens), number(layer.n), number(layer.k), number(layer.tiles));
    };
    pass(one, [](const auto&... a) { check::call_beside(a...); });
    pass(other, [](const auto&... a) { check::call(a...); });
    one.check_results();
    other.check_results();
}

// --- checkpoint 3: everything beside everything ----------------------------------------------------------------------

LAB_CASE("from expert to expert", 2) {
    check_layer(std::vector<size_t>(5 * SMS, 3), 16, TILE_K);
}

LAB_CASE("maps are made only when the expert changes", 2) {
    const size_t tiles = check_layer({6 * SMS * TILE_M}, 8, 8);
    const auto& seen = check::stats();
    tiles_are_taken_over();
    // Of each block that runs, four fields, where one is enough.
    check::that(seen.map_replacements <= 4 * (tiles - seen.cancelled_clusters),
                "a map that already describes the right weights is not made again");
}

LAB_CASE("the loads run ahead", 4) {
    check::Overlap overlap;
    check_layer({TILE_M}, TILE_N, 16 * TILE_K);
    overlap.ring_of_products();
    check_layer(std::vector<size_t>(4 * SMS, 8), 8, 3 * TILE_K);
    overlap.ring_of_products("from tile to tile");
    check::that(!check::flow() || check::flow()->stages_ahead.ring >= 2,
                "what loads bring in two stages or more is multiplied");
    overlap.judge("the producer fills every stage that is free, and waits for no copy of its own");
}

LAB_CASE("the epilogue of a tile runs beside the products of the next", 6) {
    check::Overlap overlap;
    check_layer({3 * TILE_M, 3 * TILE_M}, 2 * TILE_N, 2 * TILE_K);
    overlap.epilogues();
    overlap.judge("while the sums of a tile are loaded and scattered, the next tile is multiplied into other columns");
}

} // namespace
