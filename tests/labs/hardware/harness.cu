// Runs one version of a lab's kernel.cu on a real GPU, outside the checker: to see what hardware betrays of a wrong
// kernel, and how fast the right ones are.
//
//   harness LAB dump FILE      writes the outputs of all cases
//   harness LAB compare FILE   exit 0: the same outputs, 1: other outputs, 2: a CUDA error
//   harness LAB bench          prints "LAB NAME GB/s" for 1 GiB
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <cuda_runtime.h>

extern "C" int lab_entry(const std::uint64_t* slots, cudaStream_t stream);

namespace {

[[noreturn]] void stop(const char* what, cudaError_t error) {
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(2);
}
void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        stop(what, error);
}

struct Device {
    std::uint32_t* data = nullptr;
    std::size_t count;
    explicit Device(std::size_t n) : count(n) {
        check(cudaMalloc(&data, std::max<std::size_t>(n, 1) * 4), "cudaMalloc");
        check(cudaMemset(data, 0, std::max<std::size_t>(n, 1) * 4), "cudaMemset");
    }
    ~Device() { cudaFree(data); }
    operator std::uint64_t() const { return reinterpret_cast<std::uint64_t>(data); }
    void set(const std::vector<std::uint32_t>& values) {
        check(cudaMemcpy(data, values.data(), values.size() * 4, cudaMemcpyHostToDevice), "upload");
        // From pageable memory cudaMemcpy returns when the data is staged; other streams must not start before it is
        // there.
        check(cudaDeviceSynchronize(), "upload");
    }
    std::vector<std::uint32_t> get() const {
        std::vector<std::uint32_t> values(count);
        check(cudaMemcpy(values.data(), data, count * 4, cudaMemcpyDeviceToHost), "download");
        return values;
    }
};

std::mt19937 generator(1);

std::vector<std::uint32_t> numbers(std::size_t n, bool floats) {
    std::vector<std::uint32_t> values(n);
    for (auto& value : values) {
        const std::uint32_t bits = generator();
        const float f = float(int(bits % 128) - 64) / 16.0f;
        value = bits;
        if (floats)
            std::memcpy(&value, &f, 4);
    }
    return values;
}

bool floats(int lab) {
    return (lab >= 1 && lab <= 3) || lab == 9 || lab == 10 || lab == 12;
}

std::vector<std::uint32_t> inputs(int lab, std::size_t n) {
    std::vector<std::uint32_t> values = numbers(n, floats(lab));
    if (lab == 10) // zeros and ones: their sum is exact in any order
        for (auto& value : values)
            value = value >> 31 ? 0x3f800000 : 0;
    return values;
}

using Slots = std::vector<std::uint64_t>;

void run(const Slots& slots) {
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    check(cudaError_t(lab_entry(slots.data(), stream)), "launch");
    check(cudaDeviceSynchronize(), "run");
    cudaStreamDestroy(stream);
}

/// Argument slots of a lab's launch function. `mode`: way, stages or scope.
Slots slots(int lab, std::uint64_t in, std::uint64_t out, int n, int mode) {
    switch (lab) {
    case 2:
        return {std::uint64_t(mode), in, out, std::uint64_t(n)};
    case 5:
        return {in, out, std::uint64_t(n), std::uint64_t(mode)};
    case 6:
    case 10:
        return {in, out, std::uint64_t(n), std::uint64_t(mode)};
    case 9:
        return {in, std::uint64_t(n), 0x3ec00000}; // in place; the gain is 0.375
    default:
        return {in, out, std::uint64_t(n)};
    }
}
std::vector<int> modes(int lab) {
    if (lab == 2)
        return {0, 1};
    if (lab == 5)
        return {2, 3, 4, 6};
    if (lab == 6 || lab == 11)
        return {0, 1, 2};
    if (lab == 10)
        return {2, 4, 6};
    return {0};
}

/// Matrices for labs 11 and 12.
struct Matrix {
    std::uint64_t rows, columns, pitch;
    std::size_t size() const { return rows * pitch; }
    std::size_t tiles() const { return (rows + 15) / 16 * ((columns + 63) / 64); }
};

/// Argument slots of labs 11 and 12.
Slots slots(int lab, std::uint64_t in, std::uint64_t out, const Matrix& m, std::uint64_t map, int mode) {
    if (lab == 11)
        return {std::uint64_t(mode), in, m.rows, m.columns, m.pitch, out, map};
    return {in, out, m.rows, m.columns, m.pitch};
}

std::vector<std::uint32_t> outputs(int lab) {
    std::vector<std::uint32_t> all;
    auto add = [&](const std::vector<std::uint32_t>& values) { all.insert(all.end(), values.begin(), values.end()); };
    if (lab == 11 || lab == 12) {
        for (const Matrix& m : {Matrix{1, 1, 4}, {37, 212, 216}, {100, 1, 8}, {300, 390, 400}, {1000, 1001, 1004}})
            for (int mode : modes(lab)) {
                Device in{m.size()}, out{lab == 11 ? m.tiles() : m.size()}, map{32};
                in.set(inputs(lab, m.size()));
                run(slots(lab, in, out, m, map, mode));
                add(out.get());
            }
        return all;
    }
    std::vector<int> sizes = {1, 37, 1000, 12345, 150001};
    if (lab == 9 || lab == 10)
        sizes.push_back(3000001); // several rounds for each block
    for (int n : sizes)
        for (int mode : modes(lab)) {
            if (lab == 0) {
                std::vector<std::uint32_t> in = numbers(std::size_t(n), false);
                std::uint32_t* out;
                std::uint64_t sum = 0;
                check(cudaMallocHost(&out, std::size_t(n) * 4), "pinned");
                run({reinterpret_cast<std::uint64_t>(in.data()), reinterpret_cast<std::uint64_t>(out), std::uint64_t(n),
                     reinterpret_cast<std::uint64_t>(&sum)});
                add({out, out + n});
                add({std::uint32_t(sum), std::uint32_t(sum >> 32)});
                cudaFreeHost(out);
            } else if (lab == 4) {
                const int width = 256, rows = std::min(n, 4000);
                Device lengths{std::size_t(rows)}, scales{2 * std::size_t(rows)}, out{std::size_t(rows) * width};
                std::vector<std::uint32_t> length(static_cast<std::size_t>(rows));
                for (auto& value : length)
                    value = generator() % (width + 1);
                lengths.set(length);
                scales.set(numbers(2 * std::size_t(rows), false));
                Device in{std::size_t(rows) * width};
                in.set(numbers(std::size_t(rows) * width, false));
                run({in, lengths, scales, out, std::uint64_t(rows), std::uint64_t(width)});
                add(out.get());
            } else {
                Device in{std::size_t(n)}, out{lab == 6 || lab == 10 ? 1 : std::size_t(n)};
                in.set(inputs(lab, std::size_t(n)));
                run(slots(lab, in, out, n, mode));
                add(lab == 9 ? in.get() : out.get());
            }
        }
    return all;
}

double milliseconds(const std::function<void()>& work) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times;
    for (int i = 0; i < 25; ++i) {
        cudaEventRecord(begin, nullptr);
        work();
        cudaEventRecord(end, nullptr);
        check(cudaEventSynchronize(end), "bench");
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        if (i >= 5)
            times.push_back(ms);
    }
    std::nth_element(times.begin(), times.begin() + 10, times.end());
    return times[10];
}

void bench(int lab) {
    const std::size_t n = std::size_t{1} << 28; // 1 GiB
    Device in{n}, out{n}, map{32};
    in.set(numbers(n, true));
    const double copy =
        milliseconds([&] { cudaMemcpyAsync(out.data, in.data, n * 4, cudaMemcpyDeviceToDevice, nullptr); });
    const double copied = 2.0 * double(n) * 4 / copy / 1e6;
    for (int mode : modes(lab)) {
        const bool reads_only = lab == 6 || lab == 10 || lab == 11;
        const double moved = (reads_only ? 1.0 : 2.0) * double(n) * 4;
        const Slots arguments = lab == 11 || lab == 12
                                    ? slots(lab, in, out, Matrix{n >> 14, 1 << 14, 1 << 14}, map, mode)
                                    : slots(lab, in, out, int(n), mode);
        const double ms = milliseconds([&] { lab_entry(arguments.data(), nullptr); });
        std::printf("lab %02d mode %d: %.0f GB/s, %.3f of the device-to-device copy (%.0f GB/s)\n", lab, mode,
                    moved / ms / 1e6, moved / ms / 1e6 / copied, copied);
    }
}

} // namespace

int main(int count, char** arguments) {
    if (count < 3)
        return 3;
    const int lab = std::atoi(arguments[1]);
    const std::string what = arguments[2];
    if (what == "bench") {
        bench(lab);
        return 0;
    }
    if (count < 4)
        return 3;
    const auto values = outputs(lab);
    if (what == "dump") {
        std::FILE* file = std::fopen(arguments[3], "wb");
        std::fwrite(values.data(), 4, values.size(), file);
        std::fclose(file);
        return 0;
    }
    std::vector<std::uint32_t> expected(values.size() + 1);
    std::FILE* file = std::fopen(arguments[3], "rb");
    const std::size_t size = std::fread(expected.data(), 4, expected.size(), file);
    std::fclose(file);
    expected.resize(size);
    return values == expected ? 0 : 1;
}
