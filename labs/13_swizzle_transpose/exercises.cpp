#include "check/check.h"

namespace {

struct Unit {
    uint32_t word[4];
};

std::vector<Unit> random_units(size_t count) {
    const auto words = check::random_values<uint32_t>(4 * count);
    std::vector<Unit> units(count);
    std::memcpy(units.data(), words.data(), count * sizeof(Unit));
    return units;
}

EXERCISE("drills/1_count_the_turns") {
    LAB_CASE("no bank conflicts", 2) {
        const auto in = check::device(random_units(64));
        const auto out = check::output<Unit>(64);
        check::call(in, out);
        std::vector<Unit> expected(64);
        for (size_t i = 0; i < 64; ++i)
            expected[i % 8 * 8 + i / 8] = in[i];
        check::equal(out, expected, {8, 8});
        const auto& seen = check::stats();
        check::that(seen.shared_store_bytes == 64 * sizeof(Unit), "the tile is transposed in shared memory");
        check::that(seen.shared_bank_cycles == seen.shared_accesses, "no access to shared memory has bank conflicts");
    }
}

EXERCISE("drills/2_by_hand") {
    LAB_CASE("16 rows", 2) {
        const auto in = check::device(random_units(128));
        const auto out = check::output<Unit>(128);
        check::call(in, out);
        std::vector<Unit> expected(128);
        for (size_t i = 0; i < 128; ++i)
            expected[i % 8 * 16 + i / 8] = in[i];
        check::equal(out, expected, {8, 16});
    }
}

EXERCISE("drills/3_half_a_line") {
    LAB_CASE("32 rows", 2) {
        const auto in = check::device(random_units(128));
        const auto out = check::output<Unit>(128);
        check::call(in, out);
        std::vector<Unit> expected(128);
        for (size_t i = 0; i < 128; ++i)
            expected[i % 4 * 32 + i / 4] = in[i];
        check::equal(out, expected, {4, 32});
    }
}

EXERCISE("drills/4_base_offset") {
    LAB_CASE("a tile behind other data", 2) {
        const auto in = check::device(random_units(128));
        const auto out = check::output<Unit>(128);
        const auto counts = check::output<uint32_t>(96);
        check::call(in, out, counts);
        std::vector<Unit> expected(128);
        for (size_t i = 0; i < 128; ++i)
            expected[i % 8 * 16 + i / 8] = in[i];
        check::equal(out, expected, {8, 16});
    }
}

EXERCISE("drills/5_written_for_the_store") {
    LAB_CASE("three tiles without bank conflicts", 3) {
        const auto in = check::device(random_units(192));
        const auto out = check::output<Unit>(192);
        check::call(in, out, 3);
        std::vector<Unit> expected(192);
        for (size_t i = 0; i < 192; ++i)
            expected[i / 64 * 64 + i % 8 * 8 + i % 64 / 8] = in[i];
        check::equal(out, expected, {24, 8});
        const auto& seen = check::stats();
        check::that(seen.swizzled_bytes == 192 * sizeof(Unit), "the map of the store swizzles");
        check::that(seen.shared_bank_cycles == seen.shared_accesses, "no access to shared memory has bank conflicts");
    }
}

EXERCISE("drills/6_three_modes") {
    void check_span(int span) {
        const auto units = static_cast<size_t>(span / 16);
        const auto in = check::device(random_units(32 * units));
        const auto out = check::output<Unit>(32 * units);
        check::call(in, out, span);
        std::vector<Unit> expected(32 * units);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i % units * 32 + i / units] = in[i];
        check::equal(out, expected, {units, 32});
    }

    LAB_CASE("128 bytes", 1) {
        check_span(128);
    }

    LAB_CASE("64 and 32 bytes", 2) {
        check_span(64);
        check_span(32);
    }
}

EXERCISE("hunts/1_scaled_weights") {
    void check_scaled(size_t tiles) {
        const auto weights = check::random<uint32_t>(tiles * 256), scales = check::random<uint32_t>(tiles * 32);
        const auto out = check::output<uint32_t>(tiles * 256);
        check::call(weights, scales, out, static_cast<int>(tiles));
        std::vector<uint32_t> expected(tiles * 256);
        for (size_t i = 0; i < expected.size(); ++i) {
            const size_t tile = i / 256, row = i % 256 / 32, column = i % 32;
            expected[(tile * 32 + column) * 8 + row] = weights[i] * scales[tile * 32 + column];
        }
        check::equal(out, expected, {tiles * 32, 8});
    }

    LAB_CASE("one tile", 1) {
        check_scaled(1);
    }

    LAB_CASE("five tiles", 2) {
        check_scaled(5);
        check::that(check::stats().swizzled_bytes == 5 * 1024, "the map swizzles");
    }
}

EXERCISE("hunts/2_vignette") {
    LAB_CASE("an image of 60 x 40 pixels", 2) {
        constexpr int rows = 40, columns = 60;
        const auto in = check::random<float>(rows * columns), out = check::output<float>(rows * columns);
        check::call(in, out, rows, columns);
        std::vector<float> expected = in.values();
        for (int i = 0; i < rows * columns; ++i) {
            const int dx = i % columns - columns / 2, dy = i / columns - rows / 2;
            expected[static_cast<size_t>(i)] *= 1.0f / static_cast<float>(1 + dx * dx + dy * dy);
        }
        check::equal(out, expected, {rows, columns});
        check::that(check::stats().swizzled_bytes > 0, "the map still swizzles, because the transpose needs it");
    }
}

} // namespace
