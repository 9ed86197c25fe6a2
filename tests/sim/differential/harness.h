// What the differential programs share: numbered cases, one line of output for each. A case that kills the CUDA context
// ends the program; differential.py starts it again behind that case.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <cuda.h>
#include <cuda_runtime.h>

namespace differential {

constexpr int died = 9; ///< exit code: the last case printed has left an error that only a new process is rid of

struct Arguments {
    int from = 0, to = 1 << 30;
    bool dump = false; ///< the bytes, too
};

inline Arguments arguments(int count, char** words) {
    Arguments result;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--dump")
            result.dump = true;
        else if (word == "--from" && i + 1 < count)
            result.from = std::atoi(words[++i]);
        else if (word == "--to" && i + 1 < count)
            result.to = std::atoi(words[++i]);
        else {
            std::fprintf(stderr, "usage: %s [--from CASE] [--to CASE] [--dump]\n", words[0]);
            std::exit(2);
        }
    }
    return result;
}

/// xorshift64*: the same numbers everywhere.
struct Random {
    uint64_t state;
    explicit Random(uint64_t seed) : state((seed + 1) * 0x9e3779b97f4a7c15) {
        for (int i = 0; i < 4; ++i)
            next();
    }
    uint64_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545f4914f6cdd1d;
    }
    /// low … high
    int64_t in(int64_t low, int64_t high) { return low + int64_t((next() >> 11) % uint64_t(high - low + 1)); }
    bool percent(int p) { return in(0, 99) < p; }
};

inline uint64_t digest(const void* data, size_t bytes) { // FNV-1a by words
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        std::memcpy(&word, static_cast<const char*>(data) + i, 4);
        hash = (hash ^ word) * 0x100000001b3;
    }
    return hash ^ hash >> 32;
}

inline void must(cudaError_t error, const char* what) {
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(error));
    std::exit(1);
}
#define MUST(call) ::differential::must(call, #call)

template <class Function>
Function driver(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    MUST(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
    if (!found) {
        std::fprintf(stderr, "the driver has no %s\n", name);
        std::exit(1);
    }
    return reinterpret_cast<Function>(found);
}

using EncodeTiled = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                 const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
using EncodeIm2col = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                  const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t, const cuuint32_t*,
                                  CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                  CUtensorMapFloatOOBfill);

/// The driver's types, in its order.
constexpr const char* type_names[] = {"u8",  "u16", "u32",  "s32",     "u64",  "s64",     "f16",
                                      "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz"};
constexpr int types = 13;
__host__ __device__ inline int type_bytes(int type) {
    return type == 0 ? 1 : type == 1 || type == 6 || type == 9 ? 2 : type == 4 || type == 5 || type == 8 ? 8 : 4;
}
constexpr int ptx_types[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};
inline bool floating(int type) {
    return type >= 6;
}

} // namespace differential
