#include "check/check.h"

namespace {

constexpr size_t WIDE = 64;

void check_weighed(size_t blocks, size_t steps) {
    const auto in = check::random<uint32_t>(blocks * steps * WIDE), weights = check::random<uint32_t>(steps * WIDE);
    const auto out = check::output<uint32_t>(blocks * WIDE);
    check::call(in, weights, out, static_cast<int>(blocks), static_cast<int>(steps));
    std::vector<uint32_t> expected(out.size());
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t step = 0; step < steps; ++step)
            expected[i] += in[(i / WIDE * steps + step) * WIDE + i % WIDE] * weights[step * WIDE + i % WIDE];
    check::equal(out, expected, {blocks, WIDE});
}

void check_cross(size_t steps) {
    const auto a = check::random<uint32_t>(2 * steps * WIDE), b = check::random<uint32_t>(2 * steps * WIDE);
    const auto out = check::output<uint32_t>(4 * WIDE);
    check::call(a, b, out, static_cast<int>(steps));
    std::vector<uint32_t> expected(out.size());
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t step = 0; step < steps; ++step)
            expected[i] +=
                a[(i / WIDE / 2 * steps + step) * WIDE + i % WIDE] * b[(i / WIDE % 2 * steps + step) * WIDE + i % WIDE];
    check::equal(out, expected, {4, WIDE});
}

EXERCISE("drills/1_release_in_both_blocks") {
    LAB_CASE("one lap of the ring", 1) {
        check_weighed(2, 3);
    }

    LAB_CASE("several laps", 2) {
        check_weighed(4, 10);
    }
}

EXERCISE("drills/2_masks_of_a_square") {
    LAB_CASE("one step", 1) {
        check_cross(1);
    }

    LAB_CASE("each half is loaded once", 2) {
        constexpr size_t steps = 7;
        check_cross(steps);
        check::that(check::stats().multicast_bytes == 4 * steps * WIDE * sizeof(uint32_t),
                    "multicast copies bring each half to two blocks, and one block loads it");
    }
}

EXERCISE("drills/3_arrivals_of_a_square") {
    LAB_CASE("one step", 1) {
        check_cross(1);
    }

    LAB_CASE("several laps, and no arrival in vain", 2) {
        constexpr uint64_t steps = 10, blocks = 4, warps = 2;
        check_cross(steps);
        // Each producer arrives once a step, each warp in three blocks.
        check::that(check::stats().mbarrier_arrives <= steps * blocks * (1 + 3 * warps),
                    "a warp arrives only in blocks that have loaded what it reads");
    }
}

EXERCISE("drills/4_leave_and_wait") {
    LAB_CASE("one lap of the ring", 1) {
        check_weighed(2, 3);
    }

    LAB_CASE("several clusters", 2) {
        check_weighed(6, 7);
    }
}

EXERCISE("hunts/1_shared_out") {
    LAB_CASE("one lap of the ring", 1) {
        check_weighed(2, 3);
    }

    LAB_CASE("several laps", 2) {
        check_weighed(4, 10);
    }
}

EXERCISE("hunts/2_an_odd_number") {
    void check_weighed(size_t rows, size_t steps) {
        const auto in = check::random<uint32_t>(rows * steps * WIDE), weights = check::random<uint32_t>(steps * WIDE);
        const auto out = check::output<uint32_t>(rows * WIDE);
        check::call(in, weights, out, static_cast<int>(rows), static_cast<int>(steps));
        std::vector<uint32_t> expected(out.size());
        for (size_t i = 0; i < expected.size(); ++i)
            for (size_t step = 0; step < steps; ++step)
                expected[i] += in[(i / WIDE * steps + step) * WIDE + i % WIDE] * weights[step * WIDE + i % WIDE];
        check::equal(out, expected, {rows, WIDE});
    }

    LAB_CASE("an even number of rows", 1) {
        check_weighed(4, 7);
    }

    LAB_CASE("an odd number of rows", 2) {
        check_weighed(3, 7);
    }
}

} // namespace
