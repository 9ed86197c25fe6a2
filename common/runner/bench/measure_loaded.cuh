// What memory answers while other blocks load, or copy.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "measure_bench.cuh"
#include "measure_tensor.cuh"
#include "measure_tiles.cuh"

struct Point {
    double load;    ///< of the bandwidth, from 0 to 1
    double latency; ///< cycles
    double tile;    ///< cycles in which each of the other blocks loads a tile of 8 KiB, and stores it if they copy
};
constexpr int loads[] = {1, 2, 3, 4, 6, 8}; // blocks on each SM

/// How long a load takes while other blocks load (or copy), for each number of them: the busier the memory, the longer.
inline std::vector<Point> latencies(const Bench& bench, const uint32_t* chain, bool store, double bandwidth) {
    const size_t size = bench.quick ? 1 << 20 : size_t{512} << 20;
    const int sms = bench.quick ? 2 : bench.gpu.multiProcessorCount, steps = bench.rounds(4096);
    uint4 *in = nullptr, *out = nullptr;
    Load* load = nullptr;
    Out* result = nullptr;
    CHECK(cudaMalloc(&in, size));
    CHECK(cudaMemset(in, 1, size));
    CHECK(cudaMalloc(&load, sizeof *load));
    CHECK(cudaMalloc(&result, sizeof *result));
    CHECK(cudaMemset(result, 0, sizeof *result));
    if (store)
        CHECK(cudaMalloc(&out, size));
    std::vector<Point> points;
    for (const int blocks : loads) {
        Point least{};
        for (int i = 0; i < (bench.quick ? 1 : 6); ++i) { // on new memory, the first two are slower by far
            CHECK(cudaMemset(load, 0, sizeof *load));
            chase_loaded<<<blocks * sms, 256>>>(chain, in, out, size / 8192, load, result, steps);
            Load done{};
            Out time{};
            CHECK(cudaMemcpy(&done, load, sizeof done, cudaMemcpyDeviceToHost));
            CHECK(cudaMemcpy(&time, result, sizeof time, cudaMemcpyDeviceToHost));
            const double rate = double(done.rate) / 1000 / sms, latency = double(time.cycles) / steps;
            if (i == 0 || latency < least.latency)
                least = {bandwidth > 0 ? std::min(1.0, rate / bandwidth) : 0, latency, 0};
        }
        points.push_back(least);
    }
    for (void* memory : std::initializer_list<void*>{in, out, load, result})
        CHECK(cudaFree(memory));
    return points;
}

/// How long a bulk store takes while other blocks copy.
inline Point store_latency(const Bench& bench, int blocks, uint32_t size, bool read, double bandwidth) {
    const size_t bytes = bench.quick ? 1 << 20 : size_t{512} << 20;
    const int sms = bench.quick ? 2 : bench.gpu.multiProcessorCount, steps = bench.rounds(1024);
    uint4 *in = nullptr, *to = nullptr, *own = nullptr;
    Load* load = nullptr;
    Out* result = nullptr;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMemset(in, 1, bytes));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMalloc(&own, size_t(2) * steps * size));
    CHECK(cudaMalloc(&load, sizeof *load));
    CHECK(cudaMalloc(&result, sizeof *result));
    CHECK(cudaMemset(result, 0, sizeof *result));
    Point least{};
    for (int i = 0; i < (bench.quick ? 1 : 5); ++i) {
        CHECK(cudaMemset(load, 0, sizeof *load));
        stores_loaded<<<blocks ? blocks * sms : 1, 256>>>(in, to, own, bytes / 8192, load, result, steps, size, read);
        Load done{};
        Out time{};
        CHECK(cudaMemcpy(&done, load, sizeof done, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&time, result, sizeof time, cudaMemcpyDeviceToHost));
        const double rate = double(done.rate) / 1000 / sms, latency = double(time.cycles) / steps;
        if (i == 0 || latency < least.latency)
            least = {bandwidth > 0 ? std::min(1.0, rate / bandwidth) : 0, latency, 0};
    }
    for (void* memory : std::initializer_list<void*>{in, to, own, load, result})
        CHECK(cudaFree(memory));
    return least;
}

/// How long a tile takes until its last byte is there, for each number of other blocks.
inline std::vector<Point> tile_times(const Bench& bench, const uint32_t* chain, size_t large, bool store, uint32_t size,
                                     bool bulk, double bandwidth) {
    const size_t bytes = bench.quick ? 1 << 20 : size_t{512} << 20;
    const int sms = bench.quick ? 2 : bench.gpu.multiProcessorCount, steps = 2 * bench.rounds(512);
    uint4 *in = nullptr, *out = nullptr;
    Load* load = nullptr;
    Out* result = nullptr;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMemset(in, 1, bytes));
    CHECK(cudaMalloc(&load, sizeof *load));
    CHECK(cudaMalloc(&result, sizeof *result));
    CHECK(cudaMemset(result, 0, sizeof *result));
    if (store)
        CHECK(cudaMalloc(&out, bytes));
    std::vector<Point> points;
    for (const int blocks : {0, 1, 2, 3, 4, 6}) {
        if (bench.quick && bulk && blocks) // on the simulated device a copy may land when nothing else can run
            break;
        Point least{};
        for (int i = 0; i < (bench.quick ? 1 : 6); ++i) {
            CHECK(cudaMemset(load, 0, sizeof *load));
            tiles_loaded<<<blocks ? blocks * sms : 1, 256>>>(reinterpret_cast<const uint4*>(chain), large / 128, in,
                                                             out, bytes / 8192, load, result, steps, size, bulk);
            Load done{};
            Out time{};
            CHECK(cudaMemcpy(&done, load, sizeof done, cudaMemcpyDeviceToHost));
            CHECK(cudaMemcpy(&time, result, sizeof time, cudaMemcpyDeviceToHost));
            const double rate = double(done.rate) / 1000 / sms, latency = double(time.cycles) / steps;
            if (i == 0 || latency < least.latency)
                least = {bandwidth > 0 ? std::min(1.0, rate / bandwidth) : 0, latency, 0};
        }
        points.push_back(least);
    }
    for (void* memory : std::initializer_list<void*>{in, out, load, result})
        CHECK(cudaFree(memory));
    return points;
}

/// Between two points on the line; beyond the last one, its latency.
inline double latency_at(double load, double idle, std::vector<Point> points) {
    points.push_back({0, idle, 0});
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.load < b.load; });
    const auto above = std::find_if(points.begin(), points.end(), [&](const Point& p) { return p.load > load; });
    if (above == points.begin() || above == points.end())
        return points.back().latency;
    const Point &a = above[-1], &b = *above;
    return a.latency + (b.latency - a.latency) * (load - a.load) / (b.load - a.load);
}
