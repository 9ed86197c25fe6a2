// expect: deadlock
// The pixels outside the image are not announced.
// Drill 12.2: what arrives from outside
// Each block finds the largest pixel of a window of 8 x 4 pixels. Windows overlap the border of the image, and all
// pixels may be negative. Announce the right number of bytes, and let the copy unit fill in values that do not change a
// maximum.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 8, HEIGHT = 4; // of a window

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__global__ void __launch_bounds__(32)
    largest(const __grid_constant__ CUtensorMap map, float* out, int rows, int columns) {
    __shared__ alignas(128) float window[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    const int x = int(blockIdx.x) * WIDTH - 4, y = int(blockIdx.y) * HEIGHT - 2;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);

        // TODO(1): how many bytes will complete on the barrier?
        const int right = min(x + WIDTH, columns), bottom = min(y + HEIGHT, rows);
        const unsigned bytes = (right - max(x, 0)) * (bottom - max(y, 0)) * sizeof(float);
        // END TODO(1)

        const int at[] = {x, y};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, bytes);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, window, &map, at, &full);
    }
    __syncthreads();
    wait(&full, 0);
    float value = window[threadIdx.x / WIDTH][threadIdx.x % WIDTH];
    for (int distance = 16; distance > 0; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(~0u, value, distance)); // fmaxf(NaN, v) is v
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = value;
}

/// `in`: `rows` contiguous rows of `columns` pixels, a multiple of 4. `out`: one value for each window.
cudaError_t launch(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
    // TODO(2): CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE fills in zeros, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
    // NaNs.
    const auto fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    // END TODO(2)

    CUtensorMap map;
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(float)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(in), size, stride, box,
                               step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, fill))
        return cudaErrorInvalidValue;
    const dim3 windows((columns + 4 + WIDTH - 1) / WIDTH, (rows + 2 + HEIGHT - 1) / HEIGHT);
    largest<<<windows, 32, 0, stream>>>(map, out, rows, columns);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
