// Tiles of a matrix whose size is no multiple of the tile: loaded, changed, fenced, stored.
#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>
#include <vector>
namespace ptx = cuda::ptx;
constexpr int W = 100, H = 70, TX = 32, TY = 8;
__global__ void k(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
    __shared__ alignas(128) float tile[TY][TX];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    const int32_t c[2] = {int(blockIdx.x * TX), int(blockIdx.y * TY)};
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &in, c, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    for (int i = threadIdx.x; i < TX * TY; i += blockDim.x)
        tile[i / TX][i % TX] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, c, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}
int main() {
    float *a, *b;
    cudaMalloc(&a, W * H * 4);
    cudaMalloc(&b, W * H * 4);
    std::vector<float> h(W * H), r(W * H);
    for (int i = 0; i < W * H; ++i)
        h[i] = i;
    cudaMemcpy(a, h.data(), W * H * 4, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, W * H * 4);
    CUtensorMap ma, mb;
    cuuint64_t dim[2] = {W, H}, stride[1] = {W * 4};
    cuuint32_t box[2] = {TX, TY}, es[2] = {1, 1};
    for (auto [m, p] : {std::pair{&ma, a}, std::pair{&mb, b}})
        if (auto e = cuTensorMapEncodeTiled(m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, p, dim, stride, box, es,
                                            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
            printf("encode %d\n", e);
    k<<<dim3((W + TX - 1) / TX, (H + TY - 1) / TY), 64>>>(ma, mb);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaMemcpy(r.data(), b, W * H * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < W * H; ++i)
        bad += r[i] != h[i] + 1;
    printf("bad %d\n", bad);
    return bad != 0;
}
