// Lab 04: cp.async in PTX, for rows of different lengths.
// Row r of a matrix has lengths[r] samples (0 … width), followed by junk. For each column c < width,
// out[r][c] = gain · (x[c - 1] + 2 · x[c] + x[c + 1]) + bias, where x is zero outside the samples.
#include "lab.h"

#include <algorithm>

constexpr int THREADS = 128;
constexpr int TILE = 4 * THREADS; // columns per tile: one 16-byte copy per thread

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Copies 16 bytes, bypassing L1 (.cg). Only the first `valid` bytes (0 … 16) are read; the rest become zeros.
__device__ void copy_16(void* shared, const void* global, int valid) {
    // TODO(1): one cp.async with a src-size.
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global), "r"(valid)
                 : "memory");
    // END TODO(1)
}

// Copies 8 bytes. Sizes below 16 exist only as .ca.
__device__ void copy_8(void* shared, const void* global) {
    // TODO(2): one cp.async.
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(shared)), "l"(global) : "memory");
    // END TODO(2)
}

// Copies 4 bytes. If `ignore`, it reads nothing and writes a zero.
__device__ void copy_4(void* shared, const void* global, bool ignore) {
    // TODO(3): one cp.async with an ignore-src predicate.
    asm volatile("{\n"
                 ".reg .pred ignore;\n"
                 "setp.ne.u32 ignore, %2, 0;\n"
                 "cp.async.ca.shared.global [%0], [%1], 4, ignore;\n"
                 "}" ::"r"(shared_address(shared)),
                 "l"(global), "r"(static_cast<unsigned>(ignore))
                 : "memory");
    // END TODO(3)
}

__global__ void __launch_bounds__(THREADS)
    smooth(const uint32_t* __restrict__ in, const int* __restrict__ lengths, const uint2* __restrict__ scales,
           uint32_t* __restrict__ out, int rows, int width) {
    __shared__ alignas(16) uint32_t padded[4 + TILE + 4]; // x[0] is 16-byte aligned; space for x[-1] and x[TILE]
    __shared__ uint2 scale;                               // gain and bias of the row
    uint32_t* const x = padded + 4;

    const int t = threadIdx.x;
    const int tiles_per_row = (width + TILE - 1) / TILE;
    for (int tile = blockIdx.x; tile < rows * tiles_per_row; tile += gridDim.x) {
        const int row = tile / tiles_per_row, first = tile % tiles_per_row * TILE; // x[0] is column `first`
        const int length = lengths[row];
        const uint32_t* const samples = in + size_t(row) * width;

        // TODO(4): stage x[-1] … x[TILE] and the row's scale with the three copies above. You need no branch that tests
        // whether a column has a sample: the operands of the copies take care of that.
        const int column = first + 4 * t;
        copy_16(&x[4 * t], samples + column, 4 * min(max(length - column, 0), 4));
        if (t < 2) {
            const int side = t == 0 ? -1 : TILE;
            copy_4(&x[side], samples + first + side, first + side < 0 || first + side >= length);
        }
        if (t == 2)
            copy_8(&scale, &scales[row]);
        // END TODO(4)

        // TODO(5): wait until your own copies are complete, then until every thread has waited.
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        // END TODO(5)

        if (first + 4 * t < width) {
            const uint4 c = *reinterpret_cast<const uint4*>(&x[4 * t]);
            const uint32_t left = x[4 * t - 1], right = x[4 * t + 4], gain = scale.x, bias = scale.y;
            const uint4 y = {gain * (left + 2 * c.x + c.y) + bias, gain * (c.x + 2 * c.y + c.z) + bias,
                             gain * (c.y + 2 * c.z + c.w) + bias, gain * (c.z + 2 * c.w + right) + bias};
            *reinterpret_cast<uint4*>(&out[size_t(row) * width + first + 4 * t]) = y;
        }
        __syncthreads(); // the next tile is staged in the same buffer
    }
}

/// `in` and `out` are 16-byte aligned matrices of rows × width numbers in device memory; width is a multiple of 4.
/// Row r has lengths[r] samples, and the memory of `in` ends with the last sample of the last row.
cudaError_t launch(const uint32_t* in, const int* lengths, const uint2* scales, uint32_t* out, int rows, int width,
                   cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int tiles = rows * ((width + TILE - 1) / TILE);
    if (tiles > 0)
        smooth<<<std::min(tiles, 8 * sms), THREADS, 0, stream>>>(in, lengths, scales, out, rows, width);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
