// harness.cu for the labs with images and matrices, 13 to 16; results are compared with what the host computes.
//
//   tensor_labs LAB verify     exit 0: right, 1: wrong, 2: a CUDA error
//   tensor_labs LAB bench      prints "LAB GB/s", bytes read and written
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

extern "C" int lab_entry(const std::uint64_t* slots, cudaStream_t stream);

namespace {

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess)
        return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(2);
}

std::mt19937 generator(1);

template <class T>
struct Device {
    T* data = nullptr;
    std::vector<T> values; ///< what it was made with
    explicit Device(std::vector<T> with) : values(std::move(with)) {
        check(cudaMalloc(&data, values.size() * sizeof(T) + 16), "cudaMalloc");
        check(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
        check(cudaDeviceSynchronize(), "upload");
    }
    Device(Device&& other) noexcept : data(std::exchange(other.data, nullptr)), values(std::move(other.values)) {}
    ~Device() { cudaFree(data); }
    std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(data); }
    std::vector<T> now() const {
        std::vector<T> out(values.size());
        check(cudaMemcpy(out.data(), data, out.size() * sizeof(T), cudaMemcpyDeviceToHost), "download");
        return out;
    }
};

template <class T>
Device<T> random(std::size_t n) {
    std::vector<T> values(n);
    for (T& value : values)
        value = T(generator());
    return Device<T>(std::move(values));
}
template <class T>
Device<T> blank(std::size_t n) {
    return Device<T>(std::vector<T>(n, T(0xDBDBDBDBu)));
}

cudaStream_t stream;
using Work = std::function<void()>;

void call(std::vector<std::uint64_t> slots) {
    check(cudaError_t(lab_entry(slots.data(), stream)), "launch");
}

bool same(int lab, const char* what, bool good) {
    if (!good)
        std::printf("lab %d: wrong result: %s\n", lab, what);
    return good;
}

using Body = std::function<void(const Work&)>; ///< does the work: once, or timed

// 13: an image of 16-byte pixels
bool image(std::size_t width, std::size_t height, int span, const Body& body, bool look) {
    auto in = random<std::uint32_t>(4 * width * height);
    auto out = blank<std::uint32_t>(4 * width * height);
    body([&] { call({in.address(), out.address(), width, height, std::uint64_t(span)}); });
    bool good = true;
    const auto got = look ? out.now() : std::vector<std::uint32_t>{};
    for (std::size_t y = 0; look && y < height; ++y)
        for (std::size_t x = 0; x < width; ++x)
            for (std::size_t c = 0; c < 4; ++c)
                good = good && got[4 * (x * height + y) + c] == in.values[4 * (y * width + x) + c];
    return same(13, std::to_string(span).c_str(), good);
}

// 14: frames
bool video(std::size_t width, std::size_t height, std::size_t count, const Body& body, bool look) {
    const std::size_t frame = width * height;
    auto in = random<std::uint32_t>(frame * count), gain = random<std::uint32_t>(frame);
    auto out = blank<std::uint32_t>(frame * count);
    body([&] { call({in.address(), gain.address(), out.address(), width, height, count}); });
    bool good = true;
    const auto got = look ? out.now() : std::vector<std::uint32_t>{};
    for (std::size_t i = 0; i < got.size(); ++i)
        good = good && got[i] == gain.values[i % frame] * in.values[i] - (i < frame ? 0 : in.values[i - frame]);
    return same(14, "frames", good);
}

struct Size {
    std::size_t rows, columns;
};

// 15 (T: uint16_t, rectified) and 16 (T: uint32_t, transposed)
template <class T>
bool batch(const std::vector<Size>& sizes, const Body& body, bool look) {
    constexpr bool transposed = sizeof(T) == 4;
    constexpr std::size_t unit = 16 / sizeof(T);
    struct Entry {
        std::uint64_t in, out;
        std::int32_t field[transposed ? 6 : 4]; // rows, columns, pitch, or rows, columns, in_pitch, out_pitch, first
    };
    std::vector<Device<T>> in, out;
    std::vector<Entry> entries;
    std::size_t tiles = 0;
    auto padded = [](std::size_t n) { return (n + unit - 1) / unit * unit; };
    for (const Size& size : sizes) {
        in.push_back(random<T>(size.rows * padded(size.columns)));
        out.push_back(blank<T>(transposed ? size.columns * padded(size.rows) : size.rows * padded(size.columns)));
        Entry entry{in.back().address(), out.back().address(), {int(size.rows), int(size.columns)}};
        entry.field[2] = int(padded(size.columns));
        if constexpr (transposed) {
            entry.field[3] = int(padded(size.rows));
            entry.field[4] = int(tiles);
        }
        entries.push_back(entry);
        tiles += (size.rows + 31) / 32 * ((size.columns + 31) / 32);
    }
    Device<Entry> table(entries);
    body([&] {
        if (transposed)
            call({table.address(), sizes.size(), tiles});
        else
            call({table.address(), sizes.size()});
    });
    bool good = true;
    for (std::size_t m = 0; look && m < sizes.size(); ++m) {
        const auto got = out[m].now();
        const std::size_t pitch = padded(sizes[m].columns), turned = padded(sizes[m].rows);
        for (std::size_t r = 0; r < sizes[m].rows; ++r)
            for (std::size_t c = 0; c < sizes[m].columns; ++c) {
                const T value = in[m].values[r * pitch + c];
                good = good &&
                       (transposed ? got[c * turned + r] == value : got[r * pitch + c] == (value & 0x8000 ? 0 : value));
            }
    }
    return same(transposed ? 16 : 15, "batch", good);
}

std::vector<Size> sizes(std::size_t count, std::size_t most) {
    std::vector<Size> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back({1 + generator() % most, 1 + generator() % most});
    return all;
}

bool verify(int lab) {
    const Body once = [](const Work& work) {
        work();
        check(cudaDeviceSynchronize(), "run");
    };
    bool good = true;
    switch (lab) {
    case 13:
        for (int span : {128, 64, 32})
            for (auto [w, h] : {std::pair{1, 1}, {32, 32}, {33, 5}, {7, 70}, {1000, 777}})
                good = image(std::size_t(w), std::size_t(h), span, once, true) && good;
        return good;
    case 14:
        for (auto [w, h, n] : {std::tuple{32, 32, 4}, {36, 5, 6}, {4, 33, 3}, {100, 70, 10}, {1000, 600, 37}})
            good = video(std::size_t(w), std::size_t(h), std::size_t(n), once, true) && good;
        return good;
    case 15:
        return batch<std::uint16_t>(sizes(3, 60), once, true) & batch<std::uint16_t>(sizes(2000, 300), once, true);
    default:
        return batch<std::uint32_t>(sizes(3, 60), once, true) & batch<std::uint32_t>(sizes(3000, 200), once, true) &
               batch<std::uint32_t>({{3000, 5000}}, once, true);
    }
}

void bench(int lab) {
    double best = 1e9;
    const Body timed = [&](const Work& work) {
        cudaEvent_t begin, end;
        cudaEventCreate(&begin), cudaEventCreate(&end);
        for (int i = 0; i < 8; ++i) {
            float ms = 0;
            cudaEventRecord(begin, stream);
            work();
            cudaEventRecord(end, stream);
            check(cudaEventSynchronize(end), "run");
            cudaEventElapsedTime(&ms, begin, end);
            if (i > 1)
                best = std::min<double>(best, ms);
        }
    };
    auto print = [&](const char* what, double bytes) {
        std::printf("%d %s: %.0f GB/s\n", lab, what, bytes / best / 1e6);
        best = 1e9;
    };
    if (lab == 13)
        for (int span : {128, 64, 32}) {
            image(6144, 5120, span, timed, false);
            print(("span " + std::to_string(span)).c_str(), 6144.0 * 5120 * 32);
        }
    else if (lab == 14)
        video(4096, 2048, 32, timed, false), print("32 frames", (2 * 32 + 1 + 8) * 4096.0 * 2048 * 4);
    else
        for (std::size_t edge : {8192, 1024, 256, 64}) {
            const std::vector<Size> all(std::size_t(8192) * 8192 / (edge * edge), {edge, edge});
            lab == 15 ? batch<std::uint16_t>(all, timed, false) : batch<std::uint32_t>(all, timed, false);
            print(("matrices of " + std::to_string(edge) + " squared").c_str(),
                  8192.0 * 8192 * 2 * (lab == 15 ? 2 : 4));
        }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3)
        return 2;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    if (!std::strcmp(argv[2], "bench"))
        return bench(std::atoi(argv[1])), 0;
    return verify(std::atoi(argv[1])) ? 0 : 1;
}
