// Lab 16 without asynchronous copies, for comparison: ./lab bench 16. A tile goes through registers; a thread issues
// all its loads at once. The grid and the tiles are those of the lab.
#include "lab.h"

#include <algorithm>

constexpr int TILE = 32;
constexpr int THREADS = 64;
constexpr int LOADS = TILE * TILE / 4 / THREADS; // of 16 bytes per thread

struct Matrix { // as in kernel.cu
    const uint32_t* in;
    uint32_t* out;
    int rows, columns, in_pitch, out_pitch;
    int first;
};

// Returns the index of the matrix that tile t belongs to.
__device__ int owner(const Matrix* batch, int count, int t) {
    int m = 0;
    for (int last = count - 1; m < last;) {
        const int middle = (m + last + 1) / 2;
        if (batch[middle].first <= t)
            m = middle;
        else
            last = middle - 1;
    }
    return m;
}

__global__ void __launch_bounds__(THREADS) transpose(const Matrix* batch, int count, int tiles) {
    __shared__ uint32_t tile[TILE][TILE + 1]; // one more column, so that columns use different banks
    const int begin = int64_t(tiles) * blockIdx.x / gridDim.x, end = int64_t(tiles) * (blockIdx.x + 1) / gridDim.x;
    int m = owner(batch, count, begin);
    for (int t = begin; t < end; ++t) {
        while (m + 1 < count && batch[m + 1].first <= t)
            ++m;
        const Matrix matrix = batch[m];
        const int across = (matrix.columns + TILE - 1) / TILE;
        const int x = (t - matrix.first) % across * TILE, y = (t - matrix.first) / across * TILE;
        const int unit = 4 * (threadIdx.x % 8), first = threadIdx.x / 8;
        uint4 loaded[LOADS]; // the pitch is a multiple of four, so the padding may be loaded
        for (int l = 0; l < LOADS; ++l) {
            const int row = y + first + l * (THREADS / 8);
            loaded[l] = row < matrix.rows && x + unit < matrix.columns
                            ? *reinterpret_cast<const uint4*>(&matrix.in[size_t(row) * matrix.in_pitch + x + unit])
                            : uint4{};
        }
        for (int l = 0; l < LOADS; ++l) {
            const uint32_t four[4] = {loaded[l].x, loaded[l].y, loaded[l].z, loaded[l].w};
            for (int j = 0; j < 4; ++j)
                tile[unit + j][first + l * (THREADS / 8)] = four[j];
        }
        __syncthreads();
        for (int l = 0; l < LOADS; ++l) {
            const int column = first + l * (THREADS / 8);
            if (x + column >= matrix.columns)
                continue;
            uint32_t* const to = &matrix.out[size_t(x + column) * matrix.out_pitch + y + unit];
            const uint32_t* const from = &tile[column][unit];
            if (y + unit + 3 < matrix.rows)
                *reinterpret_cast<uint4*>(to) = {from[0], from[1], from[2], from[3]};
            else
                for (int j = 0; j < 4 && y + unit + j < matrix.rows; ++j)
                    to[j] = from[j];
        }
        __syncthreads();
    }
}

cudaError_t launch(const Matrix* batch, int count, int tiles, cudaStream_t stream) {
    if (tiles == 0)
        return cudaSuccess;
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    transpose<<<std::min(tiles, 2 * sms), THREADS, 0, stream>>>(batch, count, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
