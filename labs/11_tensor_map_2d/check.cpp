#include "check/check.h"
#include "check/constant.h"
#include "check/streams.h"

using check::Means, check::sm_90;

LAB(11_tensor_map_2d) = {
    .title = "Tensor maps",
    .concepts = {"cuTensorMapEncodeTiled", "dimension order", "strides in bytes", "boxes", "out-of-bounds fill",
                 "__grid_constant__"},
    .minimum_sm = 90,
    .targets = {sm_90},
    .needs = {{"", "each tile arrives by one tensor copy"}},
    .through = "every output comes through tensor copies of the matrix, read in shared memory where they land",
};

namespace {

LAB_CONSTANT(11_tensor_map_2d, WIDTH, 64, 32, 96);
LAB_CONSTANT(11_tensor_map_2d, HEIGHT, 16, 8, 12, 20, 24);
enum class Way : int { parameter, constant, pointer };
constexpr Way ALL[] = {Way::parameter, Way::constant, Way::pointer};

int tiles(int size, int tile) {
    return (size + tile - 1) / tile;
}

struct Sums {
    int rows, columns, pitch, across = tiles(columns, WIDTH), down = tiles(rows, HEIGHT);
    check::Buffer<uint32_t> matrix =
        check::random<uint32_t>(static_cast<size_t>(rows) * pitch); // junk follows each row
    check::Buffer<uint32_t> sums = check::output<uint32_t>(static_cast<size_t>(across) * down);
    check::Buffer<uint32_t> room = check::output<uint32_t>(32);

    void check_results() const {
        std::vector<uint32_t> expected(sums.size());
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < columns; ++x)
                expected[static_cast<size_t>(y / HEIGHT) * across + x / WIDTH] +=
                    matrix[static_cast<size_t>(y) * pitch + x];
        check::equal(sums, expected, {.rows = static_cast<size_t>(down), .columns = static_cast<size_t>(across)});
        check::unchanged(matrix);
        check::brought_by_copies(matrix);
    }
};

void check_sums(Way way, int rows, int columns, int pitch) {
    const Sums all{.rows = rows, .columns = columns, .pitch = pitch};
    check::follow(check::ranges(all.matrix), check::ranges(all.sums));
    check::call(way, all.matrix, rows, columns, pitch, all.sums, all.room);
    all.check_results();
}

LAB_CASE("parameter: whole tiles", 2) {
    check_sums(Way::parameter, 3 * HEIGHT, 2 * WIDTH, 2 * WIDTH);
}

LAB_CASE("parameter: a size that is not a multiple of the tile", 4) {
    check_sums(Way::parameter, 2 * HEIGHT + 5, 3 * WIDTH + 20, 3 * WIDTH + 20);
    check_sums(Way::parameter, 5 * HEIGHT - 1, WIDTH + 1, WIDTH + 4);
}

LAB_CASE("parameter: rows followed by junk", 3) {
    check_sums(Way::parameter, 2 * HEIGHT + 3, 2 * WIDTH - 3, 3 * WIDTH + 16);
}

LAB_CASE("constant memory", 3) {
    check_sums(Way::constant, 4 * HEIGHT + 1, WIDTH + 7, WIDTH + 8);
    for (const auto& launch : check::launches())
        check::that(launch.parameter_bytes < 128 && check::stats().global_map_bytes == 0,
                    "the copies read the map from constant memory: it is no parameter, and not in global memory");
    check_sums(Way::constant, HEIGHT, 3 * WIDTH + 9, 3 * WIDTH + 12);
}

LAB_CASE("pointer to global memory", 3) {
    check_sums(Way::pointer, 4 * HEIGHT + 1, WIDTH + 7, WIDTH + 8);
    check::that(check::stats().global_map_bytes == check::stats().tensor_load_bytes,
                "the copies read the map from `room`");
}

LAB_CASE("one element", 1) {
    for (const Way way : ALL)
        check_sums(way, 1, 1, 4);
}

LAB_CASE("no rows, no columns", 1) {
    for (const Way way : ALL) {
        check_sums(way, 0, 40, 40);
        check_sums(way, 40, 0, 4);
    }
}

LAB_CASE("one row, one column", 2) {
    for (const Way way : ALL) {
        check_sums(way, 1, 5 * WIDTH + 2, 5 * WIDTH + 4);
        check_sums(way, 9 * HEIGHT + 2, 1, 12);
    }
}

LAB_CASE("two launches in two streams", 1) {
    for (const Way way : ALL) {
        const Sums one{.rows = 3 * HEIGHT, .columns = 2 * WIDTH, .pitch = 2 * WIDTH};
        const Sums other{.rows = 2 * HEIGHT + 3, .columns = 3 * WIDTH - 3, .pitch = 3 * WIDTH};
        check::call_beside(way, one.matrix, one.rows, one.columns, one.pitch, one.sums, one.room);
        check::call(way, other.matrix, other.rows, other.columns, other.pitch, other.sums, other.room);
        one.check_results();
        other.check_results();
    }
}

LAB_CASE("more tiles than fit on the device at once", 2) {
    const int columns = 16 * WIDTH + static_cast<int>(check::random_between(1, WIDTH));
    check_sums(Way::parameter, 17 * HEIGHT + static_cast<int>(check::random_between(1, HEIGHT)), columns,
               (columns + 3) / 4 * 4);
}

LAB_CASE("each tile arrives by one tensor copy", 3) {
    for (const Way way : ALL) {
        check_sums(way, 4 * HEIGHT + 2, 4 * WIDTH + 8, 4 * WIDTH + 8);
        check::that(check::stats().tensor_load_bytes == 25 * sizeof(uint32_t) * WIDTH * HEIGHT,
                    "cp.async.bulk.tensor loads every whole tile once");
        check::that(check::stats().global_load_bytes == 0, "threads do not read the matrix");
        check::that(check::used_by(Means::tensor), lab_11_tensor_map_2d.through);
    }
}

LAB_BENCH {
    const int columns = 1 << 13, rows = static_cast<int>(check::bench_bytes() / sizeof(uint32_t) / columns);
    const auto matrix = check::filled<uint32_t>(static_cast<size_t>(rows) * columns);
    const auto sums = check::filled<uint32_t>(static_cast<size_t>(tiles(columns, WIDTH)) * tiles(rows, HEIGHT));
    const auto room = check::filled<uint32_t>(32);
    const char* const names[] = {"parameter", "constant memory", "global memory"};
    for (const Way way : ALL)
        check::measure(names[static_cast<int>(way)], check::bench_bytes(), way, matrix, rows, columns, columns, sums,
                       room);
}

} // namespace
