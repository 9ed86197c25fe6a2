// Hunt 11.h2: channels last
// Adds up patches of a batch of images with 16 channels, stored with the channels innermost (NHWC): 8 x 4 pixels and
// all channels are one box of a 4D map. The rows of an image are padded to `pitch` pixels. The first image is always
// right. The others are right only if there is no padding.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

constexpr int CHANNELS = 16, WIDTH = 8, HEIGHT = 4; // of a patch
constexpr int PATCH = HEIGHT * WIDTH * CHANNELS;
constexpr int THREADS = 64;

/// A map of the images; dimensions from the innermost: channel, x, y, image.
CUresult make_map(CUtensorMap* map, unsigned* images, int count, int height, int width, int pitch) {
    const cuuint64_t pixel = CHANNELS * sizeof(unsigned), row = pitch * pixel, image = height * width * pixel;
    const cuuint64_t size[] = {CHANNELS, cuuint64_t(width), cuuint64_t(height), cuuint64_t(count)};
    const cuuint64_t stride[] = {pixel, row, image};
    const cuuint32_t box[] = {CHANNELS, WIDTH, HEIGHT, 1}, step[] = {1, 1, 1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, images, size, stride, box, step,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

// Brings a patch to L2, ahead of its load. Nothing waits for this.
__device__ void prefetch(const CUtensorMap* map, int x, int y, int image) {
    asm volatile("cp.async.bulk.prefetch.tensor.4d.L2.global.tile [%0, {%1, %2, %3, %4}];" ::"l"(map), "r"(0), "r"(x),
                 "r"(y), "r"(image)
                 : "memory");
}

// Each block adds up the same patch of all images.
__global__ void __launch_bounds__(THREADS)
    sum_patches(const __grid_constant__ CUtensorMap map, int count, unsigned* sums) {
    __shared__ alignas(128) unsigned patch[PATCH];
    __shared__ unsigned partial[THREADS / 32];
    __shared__ uint64_t full;
    const int x = blockIdx.x * WIDTH, y = blockIdx.y * HEIGHT;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    for (int image = 0; image < count; ++image) {
        if (threadIdx.x == 0) {
            const int begin[] = {0, x, y, image};
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof patch);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, patch, &map, begin, &full);
            if (image + 1 < count)
                prefetch(&map, x, y, image + 1);
        }
        wait(&full, image % 2);
        unsigned sum = 0;
        for (int i = threadIdx.x; i < PATCH; i += THREADS)
            sum += patch[i];
        sum = __reduce_add_sync(~0u, sum);
        if (threadIdx.x % 32 == 0)
            partial[threadIdx.x / 32] = sum;
        ptx::fence_proxy_async(ptx::space_shared); // the next load overwrites the patch
        __syncthreads();
        if (threadIdx.x == 0)
            sums[(image * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = partial[0] + partial[1];
        __syncthreads(); // partial may be written again
    }
}

/// `images`: `count` images of `height` rows of `pitch` pixels, of which `width` count, with 16 channels each.
/// `sums`: one number for each patch of each image.
cudaError_t launch(unsigned* images, int count, int height, int width, int pitch, unsigned* sums,
                   cudaStream_t stream) {
    CUtensorMap map;
    if (make_map(&map, images, count, height, width, pitch) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    const dim3 grid((width + WIDTH - 1) / WIDTH, (height + HEIGHT - 1) / HEIGHT);
    sum_patches<<<grid, THREADS, 0, stream>>>(map, count, sums);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
