#include "check/check.h"
#include "check/matrices.h"
#include "check/products.h"
#include "check/streams.h"

using check::Means, check::sm_90a;

LAB(20_grouped_gemm) = {
    .title = "A grouped GEMM",
    .concepts = {"grouped GEMM", "pairs of maps made on the device", "a ring that runs on from tile to tile",
                 "a ring of staged stores"},
    .minimum_sm = 90,
    .targets = {sm_90a},
    .needs = {{"", "maps made on the device feed wgmma and store its results"}},
    .through =
        "every output comes through tensor copies on maps that the device has made for its problem, read by wgmma "
        "where they land, and leaves through such a copy",
    .speed = {.points = 2, .ratio = 1.8},
};

namespace {

constexpr size_t TILE_M = 128, TILE_N = 256, TILE_K = 64, ELEMENT = sizeof(uint16_t);

struct Size {
    size_t m, n, k, padding = 0; // padding: elements after each row
};

struct Problem { // as in kernel.cu
    uint64_t a, b, d;
    int32_t m, n, k, a_pitch, b_pitch, d_pitch, first, padding;
};

size_t up(size_t count, size_t unit) {
    return (count + unit - 1) / unit * unit;
}

size_t tiles_of(const Size& size) {
    return up(size.m, TILE_M) / TILE_M * (up(size.n, TILE_N) / TILE_N);
}

// Rows of `columns` elements in device memory, `pitch` from one to the next.
struct Matrix {
    size_t pitch;
    std::vector<float> values;
    check::Buffer<uint16_t> buffer;

    Matrix(size_t rows, size_t columns, size_t padding)
        : pitch(up(columns, 8) + padding), values(check::random_values<float>(rows * pitch)),
          buffer(check::to_bf16(values)) {}
};

// The values and their sums are exact, so the result does not depend on the order of the additions.
std::vector<uint16_t> product(const Matrix& a, const Matrix& b, const Size& size, size_t pitch) {
    std::vector<uint16_t> d(size.m * pitch);
    for (size_t row = 0; row < size.m; ++row)
        for (size_t column = 0; column < size.n; ++column) {
            const float* left = a.values.data() + row * a.pitch;
            d[row * pitch + column] = check::to_bf16(check::dot(left, b.values.data() + column * b.pitch, size.k));
        }
    return d;
}

int32_t number(size_t value) {
    return static_cast<int32_t>(value);
}

struct List {
    std::vector<Size> sizes;
    std::vector<Matrix> a, b;
    std::vector<check::Buffer<uint16_t>> d;
    std::vector<Problem> problems;
    size_t tiles = 0;

    explicit List(const std::vector<Size>& all) : sizes(all) {
        for (const Size& size : sizes) {
            const size_t pitch = up(size.n, 8) + size.padding;
            a.emplace_back(size.m, size.k, size.padding);
            b.emplace_back(size.n, size.k, 2 * size.padding);
            d.push_back(check::output<uint16_t>(size.m * pitch));
            problems.push_back({a.back().buffer.address(), b.back().buffer.address(), d.back().address(),
                                number(size.m), number(size.n), number(size.k), number(a.back().pitch),
                                number(b.back().pitch), number(pitch), number(tiles), 0});
            tiles += tiles_of(size);
        }
    }
    void follow() const {
        std::vector<sim::provenance::Range> inputs;
        for (const auto* operand : {&a, &b})
            for (const Matrix& matrix : *operand)
                inputs.push_back(check::ranges(matrix.buffer).front());
        check::follow(inputs, check::ranges(d));
    }
    void check_results() const {
        for (size_t g = 0; g < sizes.size(); ++g) {
            CAPTURE(g);
            const size_t pitch = up(sizes[g].n, 8) + sizes[g].padding;
            check::equal_bf16(d[g], product(a[g], b[g], sizes[g], pitch), {sizes[g].m, sizes[g].n, pitch, 8});
            check::unchanged(a[g].buffer);
            check::unchanged(b[g].buffer);
            check::brought_and_multiplied(a[g].buffer, b[g].buffer);
        }
    }
};

// Returns the number of tiles.
size_t check_list(const std::vector<Size>& sizes) {
    const List list(sizes);
    list.follow();
    check::call(check::device(list.problems), number(sizes.size()), number(list.tiles));
    list.check_results();
    return list.tiles;
}

// Problems of one tile each, of different sizes; their steps are taken in turn.
std::vector<Size> small_problems(size_t count, const std::vector<size_t>& steps) {
    std::vector<Size> sizes;
    for (size_t i = 0; i < count; ++i)
        sizes.push_back({static_cast<size_t>(check::random_between(1, 40)),
                         static_cast<size_t>(check::random_between(1, 70)), steps[i % steps.size()] * TILE_K,
                         8 * (i % 3)});
    return sizes;
}

LAB_CASE("one tile", 2) {
    check_list({{TILE_M, TILE_N, 6 * TILE_K}});
}

LAB_CASE("one element", 1) {
    check_list({{1, 1, 1}});
}

LAB_CASE("nothing to do", 1) {
    check_list({});
    check_list({{0, TILE_N, TILE_K}, {TILE_M, 0, TILE_K}});
}

LAB_CASE("ragged edges", 2) {
    check_list({{TILE_M + 5, TILE_N - 13, 3 * TILE_K - 27, 8}, {7, 41, TILE_K + 9}});
}

LAB_CASE("several tiles for each block", 2) {
    check_list({{3 * TILE_M, 3 * TILE_N, 3 * TILE_K}}); // no multiple of the ring
}

LAB_CASE("problems of different shapes", 2) {
    check_list(
        {{200, 300, 5 * TILE_K}, {0, 300, 64}, {1, 1000, 6 * TILE_K, 8}, {300, 100, TILE_K}, {64, 64, 9 * TILE_K}});
}

LAB_CASE("many small problems", 2) {
    check_list(small_problems(24, {1, 2, 3}));
}

// While the producer passes over the empty problems, the consumers release the stages that it has filled.
LAB_CASE("a run of empty problems", 2) {
    std::vector<Size> sizes(300, {0, 8, 8});
    sizes.insert(sizes.begin(), {{1, 1000, TILE_K}, {1, 1000, 6 * TILE_K}});
    sizes.push_back({1, 1000, TILE_K});
    check_list(sizes);
}

LAB_CASE("two launches in two streams", 1) {
    const List one(small_problems(3, {1, 2})), other(small_problems(4, {2, 1}));
    check::call_beside(check::device(one.problems), number(one.sizes.size()), number(one.tiles));
    check::call(check::device(other.problems), number(other.sizes.size()), number(other.tiles));
    one.check_results();
    other.check_results();
}

LAB_CASE("one launch of persistent blocks", 2) {
    check_list({{5 * TILE_M, TILE_N, TILE_K}});
    check::that(check::launches().size() == 1, "one launch computes the whole list");
    const auto grid = check::launches().front().config.grid;
    check::that(grid.x * grid.y * grid.z <= 4, "the grid has no more blocks than fit on the device at once");
}

LAB_CASE("maps made on the device feed wgmma and store its results", 4) {
    const size_t tiles = check_list({{2 * TILE_M, 2 * TILE_N, 2 * TILE_K}, {TILE_M, 3 * TILE_N, 2 * TILE_K}});
    const auto& seen = check::stats();
    check::that(seen.tensor_load_bytes == tiles * 2 * (TILE_M + TILE_N) * TILE_K * ELEMENT,
                "a tensor copy loads each tile of A and B once, for tiles of D of 128 x 256 elements");
    check::that(seen.tensor_store_bytes == tiles * TILE_M * TILE_N * ELEMENT,
                "a tensor copy stores each tile of D once");
    check::that(seen.swizzled_bytes == seen.tensor_load_bytes + seen.tensor_store_bytes && seen.max_swizzle_span == 128,
                "all maps use the 128-byte swizzle");
    check::that(seen.global_map_bytes == seen.swizzled_bytes, "the maps are in global memory");
    check::that(seen.map_replacements >= 4, "tensormap.replace makes the maps");
    check::that(seen.shared_load_bytes <= tiles * TILE_M * TILE_K * ELEMENT / 8,
                "no thread loads a tile from shared memory: wgmma reads it there");
    check::that(check::used_by(Means::device_map) && check::multiplied_in_place() &&
                    check::stored_by(Means::device_map),
                lab_20_grouped_gemm.through);
    // A map that is made in place is stored to.
    check::that(seen.global_store_bytes <= tiles * TILE_M * TILE_N * ELEMENT / 8, "threads do not write the results");
}

LAB_CASE("maps are made only when the problem changes", 2) {
    check_list({{24 * TILE_M, 8, 16}});
    // A block needs three maps of up to 13 fields. More buffers are fine; new maps for each of 24 tiles are not.
    check::that(check::stats().map_replacements <= 4 * 5 * 13,
                "a map that already describes the right matrix is not made again");
}

LAB_CASE("the ring runs on from tile to tile", 3) {
    check_list({{3 * TILE_M, 4 * TILE_N, TILE_K}});
    check::that(!check::copies_end_late() || check::stats().max_phases_in_flight >= 3,
                "loads of several tiles are in flight at once");
}

LAB_CASE("the ring runs on from problem to problem", 8) {
    check::Overlap overlap;
    check_list(std::vector<Size>(24, {40, 72, 3 * TILE_K}));
    check::that(!check::flow() || check::flow()->stages_ahead.ring >= 3,
                "what loads bring in three stages or more is multiplied");
    overlap.ring_of_products();
    overlap.judge("the producer fills every stage that is free, and waits for no copy of its own");
}

LAB_CASE("no bank conflicts", 2) {
    check_list({{TILE_M, 4 * TILE_N, TILE_K}});
    const auto& seen = check::stats();
    check::that(seen.shared_bank_cycles <= seen.shared_accesses + seen.shared_accesses / 20,
                "no access to a part of D in shared memory has bank conflicts");
}

// As in mixtures of experts: many problems that differ in m. The bytes are those of the three matrices. On the
// simulated device there are two smaller ones, whose tiles blocks share, too.
LAB_BENCH {
    const bool on_gpu = check::bench_bytes() >= size_t{1} << 30;
    const size_t problems = on_gpu ? 16 : 2, n = on_gpu ? 4096 : 1024, k = on_gpu ? 4096 : 768;
    for (const size_t most : on_gpu ? std::vector<size_t>{2048, 512} : std::vector<size_t>{512}) {
        const auto a = check::filled<uint16_t>(problems * most * k), b = check::filled<uint16_t>(problems * n * k),
                   d = check::filled<uint16_t>(problems * most * n);
        std::vector<Problem> list;
        size_t rows = 0, tiles = 0;
        for (size_t g = 0; g < problems; ++g) {
            const Size size{on_gpu ? (g * 5 % 16 + 1) * most / 16 : most, n, k};
            list.push_back({a.address() + rows * k * ELEMENT, b.address() + g * n * k * ELEMENT,
                            d.address() + rows * n * ELEMENT, static_cast<int32_t>(size.m), static_cast<int32_t>(n),
                            static_cast<int32_t>(k), static_cast<int32_t>(k), static_cast<int32_t>(k),
                            static_cast<int32_t>(n), static_cast<int32_t>(tiles), 0});
            rows += size.m, tiles += tiles_of(size);
        }
        check::measure_products(std::to_string(problems) + " problems, m up to " + std::to_string(most),
                                (rows * (k + n) + problems * n * k) * ELEMENT, 2.0 * double(rows * n * k),
                                check::device(list), static_cast<int>(problems), static_cast<int>(tiles));
    }
}

} // namespace
