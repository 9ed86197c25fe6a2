// expect: invalid-tensor-map
// The rank is not reduced by one.
// Drill 15.2: rank and type
// The map is made from a template of one dimension of bytes. All fields are replaced but two: the rank, which PTX takes
// minus one, and the element type. PTX numbers the types 0 u8, 1 u16, 2 u32, 3 s32, 4 u64, 5 s64, 6 f16, 7 f32, 8
// f32.ftz, 9 f64, 10 bf16. The matrix holds bfloat16. You need:
//   ptx::tensormap_replace_rank(ptx::space_shared, &scratch, value)
//   ptx::tensormap_replace_elemtype(ptx::space_shared, &scratch, ptx::n32_t<type>{})
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, HEIGHT = 8;

__device__ CUtensorMap map;

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Copies `scratch`, which one lane has written, to `map` in global memory. The calling warp may use `map` afterwards.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch) {
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, scratch, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, ptx::n32_t<128>{});
}

__global__ void __launch_bounds__(32)
    negate(const uint16_t* in, uint16_t* out, int rows, const __grid_constant__ CUtensorMap form) {
    using ptx::n32_t, ptx::space_shared;
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ alignas(128) uint16_t tile[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        scratch = form;
        ptx::tensormap_replace_global_address(space_shared, &scratch, in);
        ptx::tensormap_replace_global_dim(space_shared, &scratch, n32_t<0>{}, WIDTH);
        ptx::tensormap_replace_global_dim(space_shared, &scratch, n32_t<1>{}, rows);
        ptx::tensormap_replace_global_stride(space_shared, &scratch, n32_t<0>{}, WIDTH * sizeof(uint16_t));
        ptx::tensormap_replace_box_dim(space_shared, &scratch, n32_t<0>{}, WIDTH);
        ptx::tensormap_replace_box_dim(space_shared, &scratch, n32_t<1>{}, HEIGHT);
        ptx::tensormap_replace_element_size(space_shared, &scratch, n32_t<0>{}, 1);
        ptx::tensormap_replace_element_size(space_shared, &scratch, n32_t<1>{}, 1);
        // TODO(1): two dimensions of bfloat16.
        ptx::tensormap_replace_rank(space_shared, &scratch, 2);
        ptx::tensormap_replace_elemtype(space_shared, &scratch, n32_t<10>{});
        // END TODO(1)
    }
    publish(&map, &scratch);
    int phase = 0;
    for (int y = 0; y < rows; y += HEIGHT, phase ^= 1) {
        if (threadIdx.x == 0) {
            const int at[] = {0, y};
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full);
        }
        __syncwarp();
        wait(&full, phase);
        for (int r = 0; r < min(HEIGHT, rows - y); ++r)
            out[(y + r) * WIDTH + threadIdx.x] = tile[r][threadIdx.x] ^ 0x8000;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp(); // all lanes have read the tile
    }
}

/// `in` and `out`: `rows` contiguous rows of 32 bfloat16.
cudaError_t launch(const uint16_t* in, uint16_t* out, int rows, cudaStream_t stream) {
    CUtensorMap form;
    const cuuint64_t size = 16;
    const cuuint32_t box = 16, step = 1;
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, nullptr, &size, &size, &box, &step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    negate<<<1, 32, 0, stream>>>(in, out, rows, form);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
