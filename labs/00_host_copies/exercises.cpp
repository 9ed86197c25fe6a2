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

} // namespace
