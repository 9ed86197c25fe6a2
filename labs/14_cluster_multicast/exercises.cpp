#include "check/check.h"

namespace {

EXERCISE("drills/1_read_the_neighbour") {
    LAB_CASE("two clusters", 2) {
        const auto in = check::random<int>(512), out = check::output<int>(512);
        check::call(in, out, 2);
        std::vector<int> expected(512);
        for (size_t i = 0; i < 512; ++i)
            expected[i] = static_cast<int>(static_cast<uint32_t>(in[i]) +
                                           static_cast<uint32_t>(in[i / 256 * 256 + (i % 256 + 64) % 256]));
        check::equal(out, expected, {8, 64});
        check::that(check::stats().global_load_bytes == 512 * sizeof(int),
                    "each value is loaded from global memory once");
    }
}

EXERCISE("drills/2_store_into_the_neighbour") {
    LAB_CASE("four segments", 2) {
        const auto in = check::random<float>(256), out = check::output<float>(256);
        check::call(in, out);
        std::vector<float> expected(256);
        for (size_t i = 0; i < 256; ++i)
            expected[i] = (i > 0 ? in[i - 1] : 0) + in[i] + (i < 255 ? in[i + 1] : 0);
        check::equal(out, expected, {4, 64});
        check::that(check::stats().global_load_bytes == 256 * sizeof(float),
                    "each cell is loaded from global memory once");
    }
}

EXERCISE("drills/3_publish_a_barrier") {
    LAB_CASE("three clusters", 2) {
        const auto in = check::random<uint32_t>(384), out = check::output<uint32_t>(3);
        check::call(in, out, 3);
        std::vector<uint32_t> expected(3);
        for (size_t i = 0; i < 384; ++i)
            expected[i / 128] += in[i];
        check::equal(out, expected);
    }
}

EXERCISE("drills/4_on_their_way") {
    LAB_CASE("one cluster", 2) {
        const auto in = check::random<int>(256), out = check::output<int>(256);
        check::call(in, out);
        std::vector<int> expected(256);
        for (size_t i = 0; i < 256; ++i)
            expected[i] = in[(i + 192) % 256];
        check::equal(out, expected, {4, 64});
    }
}

EXERCISE("drills/5_mask_bits") {
    LAB_CASE("two columns", 2) {
        const auto b = check::random<uint32_t>(512), out = check::output<uint32_t>(1024);
        check::call(b, out);
        std::vector<uint32_t> expected(1024);
        for (size_t i = 0; i < 1024; ++i)
            expected[i] = b[i % 512] * static_cast<uint32_t>(i / 512 + 1);
        check::equal(out, expected, {4, 256});
        check::that(check::stats().multicast_bytes == 512 * sizeof(uint32_t),
                    "each tile is loaded once, for two blocks");
    }
}

EXERCISE("drills/6_share_the_load") {
    void check_scaled(size_t clusters) {
        const auto table = check::random<uint32_t>(512), out = check::output<uint32_t>(clusters * 1024);
        check::call(table, out, static_cast<int>(clusters));
        std::vector<uint32_t> expected(clusters * 1024);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = table[i % 512] * static_cast<uint32_t>(i / 512 + 1);
        check::equal(out, expected, {clusters * 2, 512});
    }

    LAB_CASE("the table, scaled", 1) {
        check_scaled(1);
    }

    LAB_CASE("each half is loaded once", 2) {
        check_scaled(2);
        check::that(check::stats().multicast_bytes == 2 * 512 * sizeof(uint32_t),
                    "multicast copies bring each half to both blocks, and one block loads it");
    }
}

EXERCISE("drills/7_add_over_there") {
    LAB_CASE("every owner has the total", 2) {
        constexpr size_t COLUMNS = 64;
        const auto rows = static_cast<size_t>(check::random_between(9, 20));
        const auto in = check::random<uint32_t>(rows * COLUMNS), out = check::output<uint32_t>(COLUMNS);
        check::call(in, out, static_cast<int>(rows));
        std::vector<uint32_t> expected(COLUMNS);
        for (size_t i = 0; i < in.size(); ++i)
            expected[i % COLUMNS] += in[i];
        check::equal(out, expected);
        check::that(check::stats().atomic_bytes == 0, "red.async adds the partial sums");
    }
}

EXERCISE("hunts/1_normalise") {
    LAB_CASE("three rows", 2) {
        const auto in = check::random<float>(3 * 512), out = check::output<float>(3 * 512);
        check::call(in, out, 3);
        std::vector<float> expected = in.values();
        for (size_t row = 0; row < 3; ++row) {
            const auto begin = expected.begin() + static_cast<int64_t>(row) * 512;
            const float least = *std::min_element(begin, begin + 512), most = *std::max_element(begin, begin + 512);
            std::transform(begin, begin + 512, begin, [&](float value) { return (value - least) / (most - least); });
        }
        check::equal(out, expected, {3, 512});
    }
}

EXERCISE("hunts/2_heat") {
    void check_heat(int rods, int steps) {
        const auto rod = check::random<float>(static_cast<size_t>(rods) * 256);
        check::call(rod, rods, steps);
        std::vector<float> now = rod.values(), next(now.size());
        for (int step = 0; step < steps; ++step, now.swap(next))
            for (size_t i = 0; i < now.size(); ++i)
                next[i] = 0.25f * (i % 256 ? now[i - 1] : 0) + 0.5f * now[i] + 0.25f * (i % 256 < 255 ? now[i + 1] : 0);
        check::equal(rod, now, {static_cast<size_t>(rods), 256});
    }

    LAB_CASE("one step", 1) {
        check_heat(1, 1);
    }

    LAB_CASE("seven steps of two rods", 2) {
        check_heat(2, 7);
    }
}

} // namespace
