#include <algorithm>

#include "check/check.h"

namespace {

EXERCISE("drills/1_one_instruction") {
    void check_reverse() {
        const auto in = check::random<uint32_t>(512), out = check::output<uint32_t>(512);
        check::call(in, out);
        std::vector<uint32_t> expected(512);
        for (size_t i = 0; i < 512; ++i)
            expected[i] = in[i ^ 3];
        check::equal(out, expected);
    }

    LAB_CASE("each four numbers are reversed", 1) {
        check_reverse();
    }

    LAB_CASE("the numbers arrive by cp.async", 1) {
        check_reverse();
        check::that(check::stats().cp_async_bytes == 512 * sizeof(uint32_t), "cp.async copies each number once");
        check::that(check::stats().staged_bytes == 0, "no number is staged through registers");
    }
}

EXERCISE("drills/2_copies_that_fit") {
    LAB_CASE("all particles move", 1) {
        const auto in = check::random<float>(6 * 64), out = check::output<float>(6 * 64);
        check::call(in, out);
        std::vector<float> expected = in.values();
        for (size_t p = 0; p < 64; ++p)
            for (size_t d = 0; d < 3; ++d)
                expected[6 * p + d] += expected[6 * p + 3 + d];
        check::equal(out, expected);
        check::that(check::stats().cp_async_bytes == 6 * 64 * sizeof(float), "cp.async copies each particle once");
    }
}

EXERCISE("drills/3_src_size") {
    void check_sums(int n) {
        const size_t threads = size_t(n + 511) / 512 * 128;
        const auto in = check::random<uint32_t>(n), out = check::output<uint32_t>(threads);
        check::call(in, out, n);
        std::vector<uint32_t> expected(threads);
        for (size_t i = 0; i < in.size(); ++i)
            expected[i / 4] += in[i];
        check::equal(out, expected);
    }

    LAB_CASE("the array ends between two threads", 1) {
        check_sums(4 * 100);
    }

    LAB_CASE("the array ends inside a copy", 1) {
        for (const int rest : {1, 2, 3})
            check_sums(512 + 4 * 9 + rest);
    }
}

EXERCISE("drills/4_ignore_src") {
    void check_gather(int n, int hole_every) {
        const auto table = check::random<float>(50), out = check::output<float>(n);
        std::vector<int> index(n);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) {
            index[i] = i % hole_every == 0 ? -1 - i % 7 : static_cast<int>(check::random_between(0, 49));
            expected[i] = index[i] < 0 ? 0 : table[index[i]];
        }
        check::call(table, check::device(index), out, n);
        check::equal(out, expected);
        check::that(check::stats().staged_bytes == 0, "no entry is staged through registers");
    }

    LAB_CASE("holes become zeros", 1) {
        check_gather(128, 3);
    }

    LAB_CASE("any number of entries", 1) {
        check_gather(200, 5);
        check_gather(7, 1);
    }
}

EXERCISE("drills/5_cache_hints") {
    LAB_CASE("the largest of each four numbers", 1) {
        for (const int n : {512, 517, 1022}) {
            const auto in = check::random<uint32_t>(n), out = check::output<uint32_t>((n + 3) / 4);
            check::call(in, out, n);
            std::vector<uint32_t> expected((n + 3) / 4);
            for (int i = 0; i < n; ++i)
                expected[i / 4] = std::max(expected[i / 4], in[i]);
            check::equal(out, expected);
        }
    }
}

EXERCISE("hunts/1_loud_packets") {
    void check_energies(const std::vector<int>& lengths) {
        const size_t packets = lengths.size();
        const auto slots = check::random<int>(512 * (packets - 1) + lengths.back());
        const auto energy = check::output<uint32_t>(packets);
        std::vector<uint32_t> expected(packets);
        for (size_t p = 0; p < packets; ++p)
            for (int i = 0; i < lengths[p]; ++i)
                expected[p] += uint32_t(slots[512 * p + i]) * uint32_t(slots[512 * p + i]);
        check::call(slots, check::device(lengths), energy, static_cast<int>(packets));
        check::equal(energy, expected);
        check::that(check::stats().cp_async_bytes > 0, "the samples arrive by cp.async");
    }

    LAB_CASE("full packets", 1) {
        check_energies({512, 512});
    }

    LAB_CASE("short packets among full ones", 1) {
        check_energies({37, 512, 2, 300, 512});
    }

    LAB_CASE("a short packet at the end", 1) {
        check_energies({512, 511, 9});
    }
}

EXERCISE("hunts/2_crop_off_the_grid") {
    void check_crop(int pitch, int x, int y, int width, int height) {
        const auto image = check::random<uint32_t>(size_t(pitch) * (y + height));
        const auto out = check::output<uint32_t>(size_t(width) * height);
        check::call(image, out, pitch, x, y, width, height);
        std::vector<uint32_t> expected(out.size());
        for (int r = 0; r < height; ++r)
            for (int c = 0; c < width; ++c)
                for (int shift = 0; shift < 32; shift += 8) {
                    const uint32_t channel = image[size_t(y + r) * pitch + x + c] >> shift & 0xff;
                    expected[size_t(r) * width + c] |= std::min(channel + 0x20, 0xffu) << shift;
                }
        check::equal(out, expected, {.rows = size_t(height), .columns = size_t(width)});
    }

    LAB_CASE("on the grid", 1) {
        check_crop(640, 64, 3, 320, 4);
        check_crop(640, 64, 3, 319, 4);
    }

    LAB_CASE("anywhere", 1) {
        check_crop(640, 65, 2, 320, 3);
        check_crop(642, 64, 1, 320, 3);
    }

    LAB_CASE("16 bytes at a time where possible", 1) {
        check_crop(640, 64, 3, 512, 4);
        const auto in_fours = check::stats().thread_instructions;
        check_crop(640, 65, 3, 512, 4);
        check::that(in_fours < check::stats().thread_instructions,
                    "a crop on the grid is still copied in 16-byte pieces");
    }
}

} // namespace
