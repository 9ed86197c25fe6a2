#include "check/check.h"
#include "check/streams.h"

using check::Means, check::sm_90a;

LAB(15_tensormap_replace) = {
    .title = "Tensor maps made on the device",
    .concepts = {"tensormap.replace", "rank minus one", "tensormap.cp_fenceproxy", "release and acquire of a map",
                 "fence.proxy.tensormap"},
    .minimum_sm = 90,
    .targets = {sm_90a},
    .needs = {{"", "one launch, and maps made on the device"}},
    .through = "every output comes through tensor copies on the map that the device has made for its matrix, read in "
               "shared memory where they land",
};

namespace {

constexpr size_t COLUMNS = 64, ROWS = 32; // of the skeleton's tile

struct Size {
    size_t rows, columns, pitch;
};

struct Matrix { // as in kernel.cu
    uint64_t in, out;
    int32_t rows, columns, pitch, padding;
};

// Are these the bytes of all tiles, for any size of a tile that a map's box can have?
bool loaded_once(uint64_t bytes, const std::vector<Size>& sizes) {
    for (size_t rows = 1; rows <= 256; ++rows)
        for (size_t columns = 8; columns <= 256; columns += 8) {
            uint64_t sum = 0;
            for (const Size& size : sizes)
                sum += (size.rows + rows - 1) / rows * ((size.columns + columns - 1) / columns);
            if (bytes == sum * rows * columns * sizeof(uint16_t))
                return true;
        }
    return false;
}

struct Batch {
    std::vector<Size> sizes;
    std::vector<check::Buffer<uint16_t>> in, out;
    std::vector<Matrix> matrices;

    explicit Batch(const std::vector<Size>& all) : sizes(all) {
        for (const Size& size : sizes) {
            in.push_back(check::random<uint16_t>(size.rows * size.pitch));
            out.push_back(check::output<uint16_t>(size.rows * size.pitch));
            matrices.push_back({in.back().address(), out.back().address(), static_cast<int32_t>(size.rows),
                                static_cast<int32_t>(size.columns), static_cast<int32_t>(size.pitch), 0});
        }
    }
    int count() const { return static_cast<int>(sizes.size()); }
    void check_results() const {
        for (size_t m = 0; m < sizes.size(); ++m) {
            CAPTURE(m);
            std::vector<uint16_t> expected(in[m].size());
            for (size_t i = 0; i < expected.size(); ++i)
                expected[i] = in[m][i] & 0x8000 ? 0 : in[m][i];
            check::equal(out[m], expected, {sizes[m].rows, sizes[m].columns, sizes[m].pitch});
            check::unchanged(in[m]);
            check::brought_by_copies(in[m]);
        }
    }
};

void check_batch(const std::vector<Size>& sizes) {
    const Batch batch(sizes);
    check::follow(check::ranges(batch.in), check::ranges(batch.out));
    check::call(check::device(batch.matrices), batch.count());
    batch.check_results();
}

std::vector<Size> random_sizes(size_t count, size_t most) {
    std::vector<Size> sizes;
    for (size_t i = 0; i < count; ++i) {
        const auto rows = static_cast<size_t>(check::random_between(1, static_cast<int64_t>(most)));
        const auto columns = static_cast<size_t>(check::random_between(1, static_cast<int64_t>(most)));
        sizes.push_back({rows, columns, (columns + 7) / 8 * 8 + 8 * (i % 3)});
    }
    return sizes;
}

LAB_CASE("one matrix, one tile", 2) {
    check_batch({{ROWS, COLUMNS, COLUMNS}});
}

LAB_CASE("one element", 1) {
    check_batch({{1, 1, 8}});
}

LAB_CASE("nothing to do", 1) {
    check_batch({});
    check_batch({{0, 5, 8}, {3, 0, 0}, {2, 2, 8}});
}

LAB_CASE("ragged edges", 2) {
    check_batch({{ROWS + 1, COLUMNS + 2, 80}});
    check_batch({{3 * ROWS - 5, 2 * COLUMNS - 1, 2 * COLUMNS}});
}

LAB_CASE("four matrices of different sizes", 3) {
    check_batch({{40, 100, 104}, {7, 300, 320}, {130, 20, 24}, {64, 64, 64}});
}

LAB_CASE("more matrices than clusters", 4) {
    check_batch(random_sizes(27, 90));
}

LAB_CASE("two launches in two streams", 1) {
    const Batch one(random_sizes(6, 90)), other(random_sizes(6, 90));
    check::call_beside(check::device(one.matrices), one.count());
    check::call(check::device(other.matrices), other.count());
    one.check_results();
    other.check_results();
}

LAB_CASE("one launch, and maps made on the device", 4) {
    const std::vector<Size> sizes = random_sizes(12, 150);
    check_batch(sizes);
    const auto& seen = check::stats();
    check::that(check::launches().size() == 1, "one launch processes the whole batch");
    check::that(loaded_once(seen.tensor_load_bytes, sizes),
                "a tensor copy loads each tile once; all tiles have one size, which is yours to choose");
    check::that(seen.global_map_bytes == seen.tensor_load_bytes, "the copies use maps in global memory");
    check::that(seen.map_replacements >= 4 * sizes.size(),
                "tensormap.replace sets at least the address, the sizes and the stride in the map of each matrix");
    check::that(seen.staged_bytes == 0, "no input is staged through registers");
    check::that(check::used_by(Means::device_map), lab_15_tensormap_replace.through);
}

// Matrices of one size, contiguous in memory.
LAB_BENCH {
    for (const size_t edge : {1024, 256}) {
        const size_t count = std::max<size_t>(1, check::bench_bytes() / (edge * edge * sizeof(uint16_t)));
        const auto in = check::filled<uint16_t>(count * edge * edge),
                   out = check::filled<uint16_t>(count * edge * edge);
        std::vector<Matrix> batch;
        for (size_t m = 0; m < count; ++m) {
            const uint64_t offset = m * edge * edge * sizeof(uint16_t);
            const auto size = static_cast<int32_t>(edge);
            batch.push_back({in.address() + offset, out.address() + offset, size, size, size, 0});
        }
        check::measure(std::to_string(edge) + " squared", 2 * count * edge * edge * sizeof(uint16_t),
                       check::device(batch), static_cast<int>(count));
    }
}

} // namespace
