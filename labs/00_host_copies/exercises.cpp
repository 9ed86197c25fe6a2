#include <algorithm>

#include "check/check.h"

namespace {

EXERCISE("drills/1_pinned") {
    LAB_CASE("the upload is asynchronous", 2) {
        const int n = 1000;
        const auto in = check::random<int>(n, check::MemoryKind::pageable);
        const auto out = check::output<int>(n);
        check::call(in, out, n);
        std::vector<int> expected;
        for (const int value : in)
            expected.push_back(static_cast<int>(static_cast<unsigned>(value) * static_cast<unsigned>(value)));
        check::equal(out, expected);
        for (const auto& operation : check::operations())
            check::that(!operation.pageable,
                        "the copy reads pinned memory; from pageable memory the host copies first");
    }
}

EXERCISE("drills/2_the_wait_moves") {
    LAB_CASE("the host launches the other kernel while the copy is in flight", 2) {
        using Kind = check::HostOperation::Kind;
        constexpr int N = 512;
        std::vector<int> values = check::random_values<int>(N), squares, negated;
        for (int& value : values)
            value %= 10000;
        for (const int value : values) {
            squares.push_back(value * value);
            negated.push_back(-value);
        }
        const auto in = check::device(values), out = check::output<int>(N), other = check::output<int>(N);
        const auto copy = check::output<int>(N, check::MemoryKind::pinned),
                   largest = check::output<int>(1, check::MemoryKind::pageable);
        check::call(in, out, other, copy, largest);
        check::equal(out, squares);
        check::equal(other, negated);
        check::equal(largest, {*std::max_element(squares.begin(), squares.end())});
        int launched = 0;
        for (const auto& operation : check::operations()) {
            launched += operation.kind == Kind::launch;
            check::that(operation.kind != Kind::host_wait || launched == 2,
                        "the host launches both kernels before it waits");
        }
    }
}

EXERCISE("drills/3_where_to_record") {
    LAB_CASE("the event stands for the download", 2) {
        constexpr int N = 256;
        std::vector<int> values = check::random_values<int>(N), squares;
        int total = 0;
        for (int& value : values) {
            value %= 1000;
            squares.push_back(value * value);
            total += value * value;
        }
        const auto in = check::device(values), out = check::output<int>(N), x = check::zeros<int>(N);
        const auto copy = check::output<int>(N, check::MemoryKind::pinned),
                   sum = check::output<int>(1, check::MemoryKind::pageable);
        check::call(in, out, x, copy, sum);
        check::equal(out, squares);
        check::equal(copy, squares);
        check::equal(sum, {total});
    }
}

EXERCISE("drills/4_refill") {
    void check_chunks(int chunks) {
        const int n = 256 * chunks;
        std::vector<int> values = check::random_values<int>(n), squares;
        for (int& value : values) {
            value %= 10000;
            squares.push_back(value * value);
        }
        const check::Buffer<int> in(values, check::MemoryKind::pageable);
        const auto device = check::output<int>(n), out = check::output<int>(n);
        check::call(in, device, out, n);
        check::equal(out, squares);
    }

    LAB_CASE("no chunk is overwritten in the staging buffer", 2) {
        check_chunks(5);
        check_chunks(1);
    }

    LAB_CASE("the host waits for uploads only", 1) {
        using Kind = check::HostOperation::Kind;
        check_chunks(4);
        int launched = 0;
        for (const auto& operation : check::operations()) {
            launched += operation.kind == Kind::launch;
            if (operation.kind == Kind::host_wait && launched < 4)
                check::that(operation.stream == 0,
                            "the host waits for the event behind the upload, not for the stream");
        }
    }
}

EXERCISE("drills/5_across_streams") {
    LAB_CASE("the kernel waits, the host does not", 2) {
        using Kind = check::HostOperation::Kind;
        constexpr int N = 512;
        std::vector<int> values = check::random_values<int>(N), squares;
        for (int& value : values) {
            value %= 10000;
            squares.push_back(value * value);
        }
        const check::Buffer<int> in(values, check::MemoryKind::pinned);
        const auto device = check::zeros<int>(N), out = check::output<int>(N);
        check::call(in, device, out);
        check::equal(out, squares);
        bool launched = false;
        for (const auto& operation : check::operations()) {
            launched |= operation.kind == Kind::launch;
            check::that(operation.kind != Kind::host_wait || launched,
                        "the host launches the kernel without waiting for the upload");
        }
    }
}

EXERCISE("drills/6_wait_before_the_read") {
    LAB_CASE("the weights are computed before the wait", 2) {
        constexpr int N = 512, THREADS = 128;
        const auto in = check::random<uint32_t>(N), squares = check::output<uint32_t>(N),
                   out = check::output<uint32_t>(N);
        check::call(in, squares, out);
        std::vector<uint32_t> expected;
        for (uint32_t i = 0; i < N; ++i) {
            uint32_t weight = THREADS - i % THREADS;
            for (int round = 0; round < 64; ++round) {
                weight ^= weight << 13;
                weight ^= weight >> 17;
                weight ^= weight << 5;
            }
            expected.push_back(weight * in[i] * in[i]);
        }
        check::equal(out, expected);
        const auto& stats = check::stats();
        check::that(stats.dependency_waits > 0, "the second kernel waits for the first");
        check::that(stats.instructions_before_waits >= 64 * stats.dependency_waits,
                    "the second kernel prepares before it waits");
    }
}

EXERCISE("drills/7_let_the_next_one_start") {
    LAB_CASE("the second kernel may start early", 2) {
        using Kind = check::HostOperation::Kind;
        constexpr int N = 512;
        const auto x = check::random<uint32_t>(N), out = check::output<uint32_t>(N);
        check::call(x, out);
        std::vector<uint32_t> expected;
        for (size_t i = 0; i < N; ++i) {
            uint32_t value = x[N - 1 - i];
            for (int round = 0; round < 200; ++round) {
                value ^= value << 13;
                value ^= value >> 17;
                value ^= value << 5;
            }
            expected.push_back(value);
        }
        check::equal(out, expected);
        int early = 0;
        for (const auto& operation : check::operations())
            early += operation.kind == Kind::launch && operation.early;
        check::that(early == 1, "the launch of the second kernel permits an early start");
        const auto& stats = check::stats();
        check::that(stats.dependent_triggers > 0, "the first kernel says when the second may start");
        check::that(stats.instructions_before_triggers <= 100 * stats.dependent_triggers,
                    "the first kernel says so before its long loop");
    }
}

EXERCISE("drills/8_the_third_kernel") {
    LAB_CASE("x is read before it is overwritten", 2) {
        constexpr uint32_t ROWS = 64, COLUMNS = 32;
        const auto x = check::random<uint32_t>(ROWS * COLUMNS);
        const auto sums = check::output<uint32_t>(ROWS), numbers = check::output<uint32_t>(ROWS);
        check::call(x, sums, numbers);
        std::vector<uint32_t> expected(ROWS), rows(ROWS);
        for (uint32_t i = 0; i < ROWS * COLUMNS; ++i)
            expected[i / COLUMNS] += x[i];
        for (uint32_t row = 0; row < ROWS; ++row)
            rows[row] = row;
        check::equal(sums, expected);
        check::equal(numbers, rows);
        check::equal(x, std::vector<uint32_t>(ROWS * COLUMNS));
        int early = 0;
        for (const auto& operation : check::operations())
            early += operation.early;
        check::that(early == 2, "the second and the third kernel may start early");
    }
}

EXERCISE("drills/9_capture") {
    void check_steps(int steps) {
        constexpr size_t N = 256;
        const auto x = check::random<uint32_t>(N), a = check::output<uint32_t>(N), b = check::output<uint32_t>(N);
        check::call(x, a, b, steps);
        std::vector<uint32_t> now = x.values(), next(N);
        for (int step = 0; step < steps; ++step, now.swap(next))
            for (size_t i = 0; i < N; ++i)
                next[i] = 3 * now[i] ^ now[(i + 1) % N];
        check::equal(x, now);
    }

    LAB_CASE("one step", 1) {
        check_steps(1);
    }

    LAB_CASE("several steps", 2) {
        check_steps(4);
        check::that(check::launches().size() == 12, "each step launches three kernels");
    }
}

EXERCISE("hunts/1_frame_ring") {
    void check_frames(int count) {
        constexpr int PIXELS = 1024;
        const auto frames = check::random<unsigned short>(count * PIXELS, check::MemoryKind::pageable);
        const auto small = check::output<unsigned short>(count * PIXELS / 2, check::MemoryKind::pinned);
        std::vector<unsigned short> expected;
        for (int i = 0; i < count * PIXELS / 2; ++i)
            expected.push_back((frames[2 * i] + frames[2 * i + 1]) / 2);
        check::call(frames, small, count);
        check::equal(small, expected);
    }

    LAB_CASE("three frames", 1) {
        check_frames(3);
    }

    LAB_CASE("many frames", 2) {
        check_frames(11);
    }
}

EXERCISE("hunts/2_download_stream") {
    void check_steps(int steps) {
        constexpr int N = 512;
        const auto start = check::random_values<float>(N), target = check::random_values<float>(N);
        const auto x = check::device(start), wanted = check::device(target);
        const auto log = check::output<float>(steps * N, check::MemoryKind::pinned);
        check::call(x, wanted, log, steps);
        std::vector<float> value = start, expected;
        for (int k = 0; k < steps; ++k)
            for (int i = 0; i < N; ++i) {
                value[i] += 0.5f * (target[i] - value[i]);
                expected.push_back(target[i] - value[i]);
            }
        check::equal(log, expected);
        check::equal(x, value);
    }

    LAB_CASE("one step", 1) {
        check_steps(1);
    }

    LAB_CASE("several steps", 2) {
        check_steps(5);
    }
}

EXERCISE("hunts/3_after_the_store") {
    void check_matrices(int steps) {
        constexpr int ROWS = 96, COLUMNS = 64;
        std::vector<float> values = check::random_values<float>(size_t(steps) * ROWS * COLUMNS);
        for (float& value : values)
            value = std::abs(value) + 0.5f;
        const auto x = check::device(values), out = check::output<float>(values.size());
        check::call(x, out, steps);
        for (auto row = values.begin(); row != values.end(); row += COLUMNS) {
            const float largest = *std::max_element(row, row + COLUMNS);
            std::for_each(row, row + COLUMNS, [&](float& value) { value /= largest; });
        }
        check::equal(out, values);
    }

    LAB_CASE("one step", 1) {
        check_matrices(1);
    }

    LAB_CASE("several steps", 2) {
        check_matrices(3);
        int early = 0;
        for (const auto& operation : check::operations())
            early += operation.early;
        check::that(early == 3, "the second kernel of each step is launched early");
    }
}

} // namespace
