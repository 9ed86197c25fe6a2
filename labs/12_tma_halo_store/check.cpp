#include "check/check.h"
#include "check/constant.h"

using check::Means, check::sm_90;

LAB(12_tma_halo_store) = {
    .title = "Halo loads and tile stores",
    .concepts = {"negative coordinates", "tensor stores", "buffer reuse", "wait_group.read N", "prefetch"},
    .minimum_sm = 90,
    .targets = {sm_90},
    .needs = {{"", "windows and results move by tensor copies"}},
    .through =
        "every output comes through tensor copies of the image, read in shared memory where they land, and leaves "
        "through a tensor store",
};

namespace {

constexpr int WIDTH = 32, BLOCKS = 16;
LAB_CONSTANT(12_tma_halo_store, HEIGHT, 16, 8, 12, 20, 24);

uint64_t window_bytes() {
    return sizeof(float) * (WIDTH + 8) * (HEIGHT + 2);
}

std::vector<float> blurred(const std::vector<float>& in, int rows, int columns, int pitch) {
    std::vector<float> out(in.size());
    auto pixel = [&](int y, int x) {
        return 0 <= y && y < rows && 0 <= x && x < columns ? in[static_cast<size_t>(y) * pitch + x] : 0.0f;
    };
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
            float sum = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    sum += static_cast<float>((2 - dy * dy) * (2 - dx * dx)) * pixel(y + dy, x + dx);
            out[static_cast<size_t>(y) * pitch + x] = sum;
        }
    return out;
}

void check_blur(int rows, int columns, int pitch) {
    const auto in = check::random<float>(static_cast<size_t>(rows) * pitch);
    const auto out = check::output<float>(static_cast<size_t>(rows) * pitch);
    check::follow(check::ranges(in), check::ranges(out));
    check::call(in, out, rows, columns, pitch);
    check::unchanged(in);
    check::brought_by_copies(in);
    if (rows == 0 || columns == 0)
        return check::unchanged(out);
    check::equal(out, blurred(in.values(), rows, columns, pitch),
                 {static_cast<size_t>(rows), static_cast<size_t>(columns), static_cast<size_t>(pitch), 4}, 0);
}

LAB_CASE("one tile", 2) {
    check_blur(HEIGHT, WIDTH, WIDTH);
}

LAB_CASE("whole tiles", 3) {
    check_blur(2 * HEIGHT, 3 * WIDTH, 3 * WIDTH);
}

LAB_CASE("a size that is not a multiple of the tile", 4) {
    check_blur(2 * HEIGHT + 3, 2 * WIDTH + 8, 2 * WIDTH + 8);
    check_blur(3 * HEIGHT + 1, WIDTH + 1, WIDTH + 12);
}

LAB_CASE("one pixel", 1) {
    check_blur(1, 1, 4);
}

LAB_CASE("no rows, no columns", 1) {
    check_blur(0, 40, 40);
    check_blur(40, 0, 4);
}

LAB_CASE("one row, one column", 2) {
    check_blur(1, 5 * WIDTH + 3, 5 * WIDTH + 4);
    check_blur(7 * HEIGHT + 5, 1, 8);
}

LAB_CASE("several tiles per block", 5) {
    check_blur(9 * HEIGHT, 9 * WIDTH - 5, 9 * WIDTH - 4);
}

LAB_CASE("more tiles than fit on the device at once", 2) {
    const int columns = 13 * WIDTH + static_cast<int>(check::random_between(1, WIDTH));
    check_blur(14 * HEIGHT + static_cast<int>(check::random_between(1, HEIGHT)), columns, (columns + 3) / 4 * 4);
}

LAB_CASE("windows and results move by tensor copies", 3) {
    check_blur(5 * HEIGHT + 4, 4 * WIDTH + 4, 4 * WIDTH + 8);
    check::that(
        check::stats().tensor_load_bytes == 30 * window_bytes(),
        "cp.async.bulk.tensor loads each window, with its halo, once; a tile has WIDTH x HEIGHT pixels as in the "
        "skeleton");
    check::that(check::stats().tensor_store_bytes == sizeof(float) * (5 * HEIGHT + 4) * (4 * WIDTH + 4),
                "cp.async.bulk.tensor stores each pixel of the image once");
    check::that(check::stats().global_load_bytes == 0 && check::stats().global_store_bytes == 0,
                "threads do not access global memory");
    check::that(check::used_by(Means::tensor) && check::stored_by(Means::tensor), lab_12_tma_halo_store.through);
}

LAB_CASE("the next window is in flight", 3) {
    check::Overlap overlap;
    check_blur(8 * HEIGHT, BLOCKS * WIDTH, BLOCKS * WIDTH);
    overlap.early_phases(2);
    overlap.judge("the load of the next window is in flight while the block waits for this one, and while it computes");
}

LAB_BENCH {
    const int columns = 1 << 13, rows = static_cast<int>(check::bench_bytes() / sizeof(float) / columns);
    const auto in = check::filled<float>(static_cast<size_t>(rows) * columns);
    const auto out = check::filled<float>(static_cast<size_t>(rows) * columns);
    check::measure("", 2 * check::bench_bytes(), in, out, rows, columns, columns);
}

} // namespace
