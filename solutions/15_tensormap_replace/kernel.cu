// Lab 15: max(x, 0) for every element of a batch of matrices, each of a different size, in one launch.
// A cluster of two blocks processes one matrix at a time, and makes the tensor map for it.
#include "lab.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>

#include "tma.h" // in common/check/student: elected(), wait()

namespace ptx = cuda::ptx;

constexpr int CLUSTER = 2;
constexpr int COLUMNS = 64, ROWS = 32; // of a tile: bfloat16, 4 KiB
constexpr int THREADS = 256;

// Row r begins at element r * pitch. `pitch` is a multiple of 8, and `in` is 16-byte aligned.
struct Matrix {
    const uint16_t* in; // bits of bfloat16
    uint16_t* out;
    int rows, columns, pitch;
};

// Both elements of a word.
__device__ uint32_t rectified(uint32_t pair) {
    return (pair & 0x8000 ? 0 : pair & 0xffff) | (pair & 0x80000000 ? 0 : pair & 0xffff0000);
}

// Writes max(x, 0) of eight elements, or of the first `count` if these are fewer. Both begin at a multiple of 16 bytes.
__device__ void rectify_eight(uint16_t* out, const uint16_t* in, int count) {
    if (count >= 8) {
        const uint4 x = *reinterpret_cast<const uint4*>(in);
        *reinterpret_cast<uint4*>(out) = {rectified(x.x), rectified(x.y), rectified(x.z), rectified(x.w)};
    } else
        for (int i = 0; i < count; ++i)
            out[i] = in[i] & 0x8000 ? 0 : in[i];
}

// Makes `scratch`, in shared memory, a map of the matrix. Called by one thread.
__device__ void describe(CUtensorMap* scratch, const Matrix& matrix) {
    using ptx::n32_t, ptx::space_shared;
    // TODO(1): replace every field. PTX numbers element types and modes differently than the driver.
    ptx::tensormap_replace_global_address(space_shared, scratch, matrix.in);
    ptx::tensormap_replace_rank(space_shared, scratch, 2 - 1); // rank minus one
    ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<0>{}, matrix.columns);
    ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<1>{}, matrix.rows);
    ptx::tensormap_replace_global_stride(space_shared, scratch, n32_t<0>{}, 2 * uint64_t(matrix.pitch)); // bytes
    ptx::tensormap_replace_box_dim(space_shared, scratch, n32_t<0>{}, COLUMNS);
    ptx::tensormap_replace_box_dim(space_shared, scratch, n32_t<1>{}, ROWS);
    ptx::tensormap_replace_element_size(space_shared, scratch, n32_t<0>{}, 1); // the element stride
    ptx::tensormap_replace_element_size(space_shared, scratch, n32_t<1>{}, 1);
    ptx::tensormap_replace_elemtype(space_shared, scratch, n32_t<10>{}); // bf16
    ptx::tensormap_replace_interleave_layout(space_shared, scratch, n32_t<0>{});
    ptx::tensormap_replace_swizzle_mode(space_shared, scratch, n32_t<0>{});
    ptx::tensormap_replace_fill_mode(space_shared, scratch, n32_t<0>{}); // zeros
    // END TODO(1)
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    rectify(const Matrix* __restrict__ batch, int count, const __grid_constant__ CUtensorMap form, CUtensorMap* maps) {
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ alignas(128) uint16_t tile[ROWS][COLUMNS];
    __shared__ uint64_t full;
    const auto cluster = cooperative_groups::this_cluster();
    const int rank = cluster.block_rank(), warp = threadIdx.x / 32;
    const bool issuer = warp == 0 && elected();
    CUtensorMap* map = &maps[blockIdx.x / CLUSTER];
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();

    unsigned parity = 0;
    for (int m = blockIdx.x / CLUSTER; m < count; m += gridDim.x / CLUSTER) {
        const Matrix matrix = batch[m];
        if (rank == 0 && warp == 0) {
            if (threadIdx.x == 0) {
                scratch = form;
                describe(&scratch, matrix);
            }
            // TODO(2): copy it to `map` with the whole warp, so that other blocks can acquire it.
            __syncwarp(); // one lane has written the map
            ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cluster, map, &scratch, ptx::n32_t<128>{});
            // END TODO(2)
        }
        cluster.sync();
        // TODO(3): the map has changed since this block's copy unit last read it.
        if (issuer)
            ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cluster, map, ptx::n32_t<128>{});
        // END TODO(3)
        const int across = (matrix.columns + COLUMNS - 1) / COLUMNS, tiles = across * ((matrix.rows + ROWS - 1) / ROWS);
        for (int t = rank; t < tiles; t += CLUSTER) {
            const int x = t % across * COLUMNS, y = t / across * ROWS;
            if (issuer) {
                const int at[] = {x, y};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &full);
            }
            wait(&full, parity);
            parity ^= 1;
            for (int i = threadIdx.x; i < ROWS * COLUMNS / 8; i += THREADS)
                if (const int r = i / (COLUMNS / 8), c = i % (COLUMNS / 8) * 8; y + r < matrix.rows)
                    rectify_eight(&matrix.out[size_t(y + r) * matrix.pitch + x + c], &tile[r][c],
                                  matrix.columns - x - c);
            ptx::fence_proxy_async(ptx::space_shared);
            __syncthreads(); // all threads have read the tile
        }
        // TODO(4): what must have completed before `map` is modified again?
        cluster.sync();
        // END TODO(4)
    }
}

/// `batch`: `count` matrices. They and everything they point to are in device memory. `out` has the pitch of `in`; its
/// padding is not written.
cudaError_t launch(const Matrix* batch, int count, cudaStream_t stream) {
    if (count == 0)
        return cudaSuccess;
    // A valid map to begin with. The kernel replaces all its fields, but the map as a whole is opaque.
    CUtensorMap form;
    const cuuint64_t size = 16;
    const cuuint32_t box = 16, step = 1;
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, nullptr, &size, &size, &box, &step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int clusters = std::min(count, 8 * sms / CLUSTER); // eight blocks on each SM
    CUtensorMap* maps; // one per cluster, in global memory, where the copy unit reads it; of this launch alone
    if (const cudaError_t error = cudaMallocAsync(&maps, clusters * sizeof(CUtensorMap), stream))
        return error;
    rectify<<<clusters * CLUSTER, THREADS, 0, stream>>>(batch, count, form, maps);
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
