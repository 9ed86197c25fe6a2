#include "check/check.h"
#include "check/streams.h"

using check::Means, check::sm_90a;

LAB(16_capstone) = {
    .title = "Everything at once",
    .concepts = {"persistent blocks", "warp specialisation", "rings of mbarriers", "swizzle",
                 "tensor maps made on the device", "tile stores"},
    .minimum_sm = 90,
    .targets = {sm_90a},
    .needs = {{"", "tiles are loaded, swizzled and stored by maps made on the device"}},
    .through = "every output comes through tensor copies of the matrices, read in shared memory where they land, "
               "in two stages or more",
    .modelled = "the producer runs ahead",
    .speed = {.points = 2, .ratio = 1.8},
};

namespace {

constexpr size_t TILE = 32, TILE_BYTES = TILE * TILE * sizeof(uint32_t), BLOCKS_PER_SM = 8;

struct Size {
    size_t rows, columns, in_pitch, out_pitch;
};

struct Matrix { // as in kernel.cu
    uint64_t in, out;
    int32_t rows, columns, in_pitch, out_pitch, first, padding;
};

size_t tiles_of(const Size& size) {
    return (size.rows + TILE - 1) / TILE * ((size.columns + TILE - 1) / TILE);
}

struct Batch {
    std::vector<Size> sizes;
    std::vector<check::Buffer<uint32_t>> in, out;
    std::vector<Matrix> matrices;
    size_t tiles = 0;

    explicit Batch(const std::vector<Size>& all) : sizes(all) {
        for (const Size& size : sizes) {
            in.push_back(check::random<uint32_t>(size.rows * size.in_pitch));
            out.push_back(check::output<uint32_t>(size.columns * size.out_pitch));
            matrices.push_back({in.back().address(), out.back().address(), static_cast<int32_t>(size.rows),
                                static_cast<int32_t>(size.columns), static_cast<int32_t>(size.in_pitch),
                                static_cast<int32_t>(size.out_pitch), static_cast<int32_t>(tiles), 0});
            tiles += tiles_of(size);
        }
    }
    int count() const { return static_cast<int>(sizes.size()); }
    void check_results() const {
        for (size_t m = 0; m < sizes.size(); ++m) {
            CAPTURE(m);
            const Size& size = sizes[m];
            std::vector<uint32_t> expected(out[m].size());
            for (size_t r = 0; r < size.rows; ++r)
                for (size_t c = 0; c < size.columns; ++c)
                    expected[c * size.out_pitch + r] = in[m][r * size.in_pitch + c];
            check::equal(out[m], expected, {size.columns, size.rows, size.out_pitch, 4});
            check::unchanged(in[m]);
            check::brought_by_copies(in[m]);
        }
    }
};

// Returns the number of tiles.
size_t check_batch(const std::vector<Size>& sizes) {
    const Batch batch(sizes);
    check::follow(check::ranges(batch.in), check::ranges(batch.out));
    check::call(check::device(batch.matrices), batch.count(), static_cast<int>(batch.tiles));
    batch.check_results();
    return batch.tiles;
}

std::vector<Size> random_sizes(size_t count, size_t most) {
    std::vector<Size> sizes;
    for (size_t i = 0; i < count; ++i) {
        const auto rows = static_cast<size_t>(check::random_between(1, static_cast<int64_t>(most)));
        const auto columns = static_cast<size_t>(check::random_between(1, static_cast<int64_t>(most)));
        sizes.push_back({rows, columns, (columns + 3) / 4 * 4 + 4 * (i % 3), (rows + 3) / 4 * 4 + 4 * (i % 2)});
    }
    return sizes;
}

LAB_CASE("one tile", 2) {
    check_batch({{TILE, TILE, TILE, TILE}});
}

LAB_CASE("one element", 1) {
    check_batch({{1, 1, 4, 4}});
}

LAB_CASE("nothing to do", 1) {
    check_batch({});
}

LAB_CASE("ragged edges", 2) {
    check_batch({{TILE + 3, 2 * TILE - 1, 64, 40}, {5, 3, 8, 8}});
}

LAB_CASE("several laps of the ring", 2) {
    check_batch({{13 * TILE, 32 * TILE, 32 * TILE, 13 * TILE}});
}

LAB_CASE("many matrices", 2) {
    check_batch(random_sizes(60, 70));
}

LAB_CASE("large and small matrices", 2) {
    auto sizes = random_sizes(9, 40);
    sizes.insert(sizes.begin() + 4, {300, 500, 500, 304});
    sizes.insert(sizes.begin() + 2, {700, 33, 36, 700});
    check_batch(sizes);
}

LAB_CASE("two launches in two streams", 1) {
    const Batch one(random_sizes(6, 90)), other(random_sizes(6, 90));
    check::call_beside(check::device(one.matrices), one.count(), static_cast<int>(one.tiles));
    check::call(check::device(other.matrices), other.count(), static_cast<int>(other.tiles));
    one.check_results();
    other.check_results();
}

LAB_CASE("one launch of persistent blocks", 2) {
    check_batch(random_sizes(40, 120));
    check::that(check::launches().size() == 1, "one launch processes the whole batch");
    const auto grid = check::launches().front().config.grid;
    check::that(grid.x * grid.y * grid.z <= 4 * BLOCKS_PER_SM,
                "the grid has no more blocks than fit on the device at once");
}

LAB_CASE("tiles are loaded, swizzled and stored by maps made on the device", 4) {
    const size_t tiles = check_batch({{160, 640, 640, 160}});
    const auto& seen = check::stats();
    check::that(seen.tensor_load_bytes == tiles * TILE_BYTES, "a tensor copy loads each tile of 32 x 32 elements once");
    check::that(seen.tensor_store_bytes == tiles * TILE_BYTES, "a tensor copy stores each tile once");
    check::that(seen.swizzled_bytes == seen.tensor_load_bytes + seen.tensor_store_bytes, "all maps swizzle");
    check::that(seen.max_swizzle_span == 128, "all maps use the 128-byte swizzle");
    check::that(seen.global_map_bytes == seen.swizzled_bytes, "the maps are in global memory");
    check::that(seen.map_replacements >= 8, "tensormap.replace makes the maps");
    check::that(seen.staged_bytes == 0, "no input is staged through registers");
    check::that(check::used_by(Means::device_map) && check::stored_by(Means::device_map),
                "every output comes and leaves through tensor copies on the map that the device has made for its "
                "matrix");
    // A map that is made in place is stored to.
    check::that(seen.global_store_bytes <= tiles * TILE_BYTES / 8, "threads do not write the results");
}

LAB_CASE("maps are made only when the matrix changes", 2) {
    check_batch({{640, 640, 640, 640}});
    // A block needs six maps of up to 13 fields. A few more buffers are fine; a new map for each of 50 tiles is not.
    const auto grid = check::launches().front().config.grid;
    check::that(check::stats().map_replacements <= grid.x * grid.y * grid.z * 16 * 13,
                "a map that already describes the right matrix is not made again");
}

LAB_CASE("no bank conflicts", 2) {
    check_batch({{192, 256, 256, 192}});
    const auto& seen = check::stats();
    check::that(seen.shared_bank_cycles <= seen.shared_accesses + seen.shared_accesses / 50,
                "no access to a tile in shared memory has bank conflicts");
}

LAB_CASE("the producer runs ahead", 10) {
    check::Overlap overlap;
    check_batch({{16 * TILE, 40 * TILE, 40 * TILE, 16 * TILE}});
    check::that(!check::flow() || check::flow()->stages_ahead.ring >= 2, lab_16_capstone.through);
    check::that(check::stats().mbarrier_waits > 0, "warps wait on the barriers of a stage");
    overlap.ring();
    overlap.judge("the producer fills every stage that is free, and waits for no copy of its own");
}

// Matrices of one size, contiguous in memory.
LAB_BENCH {
    for (const size_t edge : {1024, 256}) {
        const size_t count = std::max<size_t>(1, check::bench_bytes() / (edge * edge * sizeof(uint32_t)));
        const auto in = check::filled<uint32_t>(count * edge * edge),
                   out = check::filled<uint32_t>(count * edge * edge);
        const size_t tiles = edge / TILE * (edge / TILE);
        std::vector<Matrix> batch;
        for (size_t m = 0; m < count; ++m) {
            const uint64_t offset = m * edge * edge * sizeof(uint32_t);
            const auto size = static_cast<int32_t>(edge);
            batch.push_back({in.address() + offset, out.address() + offset, size, size, size, size,
                             static_cast<int32_t>(m * tiles), 0});
        }
        check::measure(std::to_string(edge) + " squared", 2 * count * edge * edge * sizeof(uint32_t),
                       check::device(batch), static_cast<int>(count), static_cast<int>(count * tiles));
    }
}

} // namespace
