// How measure_model.cu times a kernel: the least time of several launches, in cycles.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "measure_kernels.cuh"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if (const cudaError_t error = (call); error != cudaSuccess) {                                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                                        \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

struct Line {
    std::string what, parameter, unit;
    double value;
};

class Bench {
  public:
    explicit Bench(bool quick) : quick(quick), times_(quick ? 1 : 7) {
        CHECK(cudaGetDeviceProperties(&gpu, 0));
        CHECK(cudaMalloc(&out_, sizeof(Out)));
        other_bytes_ = quick ? 1 << 20 : 2 * size_t(gpu.l2CacheSize);
        CHECK(cudaMalloc(&other_, other_bytes_));
    }
    /// Fills the L2 cache with something else.
    void flush() const { CHECK(cudaMemset(other_, 0, other_bytes_)); }
    /// Cycles of the fastest of several launches.
    double cycles(const std::function<void(Out*)>& launch) {
        double least = 0;
        CHECK(cudaMemset(out_, 0, sizeof(Out)));
        for (int i = 0; i <= times_; ++i) {
            launch(out_);
            Out out{};
            CHECK(cudaMemcpy(&out, out_, sizeof out, cudaMemcpyDeviceToHost));
            if (i > 0 && (least == 0 || double(out.cycles) < least))
                least = double(out.cycles);
        }
        return least;
    }
    int rounds(int many) const { return quick ? 4 : many; }
    const bool quick;
    cudaDeviceProp gpu{};

  private:
    int times_;
    Out* out_ = nullptr;
    void* other_ = nullptr;
    size_t other_bytes_ = 0;
};
