#include "check/check.h"

using check::sm_90a;

LAB(20_grouped_gemm) = {
    .title = "A list of GEMMs",
    .concepts = {"persistent blocks", "maps made ahead of the tile that needs them", "a ring that runs on from tile to tile", "staged stores"},
    .minimum_sm = 90,
    .targets = {sm_90a},
    .needs = {{"", "tensor copies with maps made on the device feed wgmma"}},
};

namespace {

constexpr size_t ROWS = 128, COLUMNS = 256, DEPTH = 64;

struct Size {
    size_t m, n, k, padding = 0; // padding: of each row
};

struct Problem { // as in kernel.cu
    uint64_t a, b, d;
    int32_t m, n, k, a_pitch, b_pitch, d_pitch, first, padding;
};

size_t ceil(size_t a, size_t b) {
    return (a + b - 1) / b;
}

size_t tiles_of(const Size& size) {
    return ceil(size.m, ROWS) * ceil(size.n, COLUMNS);
}

uint16_t bf16(float value) { // to the nearest, ties to even
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float value(uint16_t bf16) {
    const uint32_t bits = uint32_t{bf16} << 16;
    float result;
    std::memcpy(&result, &bits, 4);
    return result;
}

// Multiples of 1/16 in [-4, 4): exact in bf16, with exact sums.
std::vector<uint16_t> random_bf16(size_t count) {
    std::vector<uint16_t> values;
    for (const float each : check::random_values<float>(count))
        values.push_back(bf16(each));
    return values;
}

size_t up(size_t count, size_t unit) {
    return ceil(count, unit) * unit;
}

// Returns the number of tiles.
size_t check_list(const std::vector<Size>& sizes) {
    std::vector<check::Buffer<uint16_t>> a, b, d;
    std::vector<Problem> list;
    size_t tiles = 0;
    for (const Size& size : sizes) {
        const size_t k_pitch = up(size.k, 8) + size.padding, n_pitch = up(size.n, 8) + size.padding;
        a.push_back(check::device(random_bf16(size.m * k_pitch)));
        b.push_back(check::device(random_bf16(size.n * k_pitch)));
        d.push_back(check::output<uint16_t>(size.m * n_pitch));
        list.push_back({a.back().address(), b.back().address(), d.back().address(), static_cast<int32_t>(size.m),
                        static_cast<int32_t>(size.n), static_cast<int32_t>(size.k), static_cast<int32_t>(k_pitch),
                        static_cast<int32_t>(k_pitch), static_cast<int32_t>(n_pitch), static_cast<int32_t>(tiles), 0});
        tiles += tiles_of(size);
    }
    check::call(check::device(list), static_cast<int>(list.size()), static_cast<int>(tiles));
    for (size_t g = 0; g < sizes.size(); ++g) {
        CAPTURE(g);
        const Size& size = sizes[g];
        const size_t k_pitch = up(size.k, 8) + size.padding, n_pitch = up(size.n, 8) + size.padding;
        std::vector<uint16_t> expected(d[g].size());
        std::vector<float> left(a[g].size()), right(b[g].size());
        std::transform(a[g].begin(), a[g].end(), left.begin(), value);
        std::transform(b[g].begin(), b[g].end(), right.begin(), value);
        for (size_t r = 0; r < size.m; ++r)
            for (size_t c = 0; c < size.n; ++c) {
                float lanes[8] = {};
                for (size_t i = 0; i < size.k; ++i)
                    lanes[i % 8] += left[r * k_pitch + i] * right[c * k_pitch + i];
                float sum = 0;
                for (const float each : lanes)
                    sum += each;
                expected[r * n_pitch + c] = bf16(sum);
            }
        check::equal(d[g], expected, {size.m, size.n, n_pitch, 8});
        check::unchanged(a[g]);
        check::unchanged(b[g]);
        check::brought_by_copies(a[g], b[g]);
    }
    return tiles;
}

LAB_CASE("one tile", 2) {
    check_list({{ROWS, COLUMNS, 4 * DEPTH}});
}

LAB_CASE("one row", 1) {
    check_list({{1, 8, 4 * DEPTH}});
}

LAB_CASE("nothing to do", 1) {
    check_list({});
}

LAB_CASE("ragged edges", 2) {
    check_list({{ROWS + 5, COLUMNS - 13, 5 * DEPTH - 24, 8}, {7, 40, 4 * DEPTH + 8}});
}

LAB_CASE("several laps of the ring", 3) {
    check_list({{2 * ROWS, 3 * COLUMNS, 7 * DEPTH}});
}

LAB_CASE("tensor copies with maps made on the device feed wgmma", 4) {
    const size_t tiles = check_list({{ROWS, COLUMNS, 4 * DEPTH}, {64, 2 * COLUMNS, 6 * DEPTH}, {2 * ROWS, 64, 5 * DEPTH}, {0, COLUMNS, 4 * DEPTH}, {200, 300, 4 * DEPTH}});
    check::that(tiles>0, "");
}

} // namespace
