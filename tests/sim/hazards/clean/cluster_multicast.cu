// Multicast loads, copies into a neighbour's shared memory and st.async in a cluster of two.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>
#include <vector>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;
constexpr int N = 256;
__global__ void __cluster_dims__(2)
    k(const int* in, int* out, int* peer_out, const __grid_constant__ CUtensorMap map, int* tout) {
    __shared__ alignas(128) int tile[N];
    __shared__ alignas(128) int tile2[8][32];
    __shared__ alignas(16) int from_peer[N];
    __shared__ alignas(8) uint64_t bar[4];
    __shared__ int remote[32];
    auto cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        for (auto& b : bar)
            ptx::mbarrier_init(&b, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar[0], sizeof tile);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar[1], sizeof tile2);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar[2], sizeof from_peer);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar[3], 32 * 4);
    }
    if (threadIdx.x == 0 && rank == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &bar[0], uint16_t(3));
    if (threadIdx.x == 0 && rank == 1) {
        const int c[2] = {4, 2};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile2, &map, c, &bar[1], uint16_t(3));
    }
    while (!ptx::mbarrier_try_wait_parity(&bar[0], 0)) {
    }
    while (!ptx::mbarrier_try_wait_parity(&bar[1], 0)) {
    }
    out[blockIdx.x * N + threadIdx.x] = tile[threadIdx.x] + int(rank);
    tout[blockIdx.x * N + threadIdx.x] = tile2[threadIdx.x / 32][threadIdx.x % 32];
    tile[threadIdx.x] += 1000 * int(rank);
    ptx::fence_proxy_async();
    cluster.sync();
    if (threadIdx.x == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(from_peer, rank ^ 1), tile,
                           sizeof tile, cluster.map_shared_rank(&bar[2], rank ^ 1));
    if (threadIdx.x < 32)
        ptx::st_async(cluster.map_shared_rank(&remote[threadIdx.x], rank ^ 1), int(threadIdx.x + 100 * rank),
                      cluster.map_shared_rank(&bar[3], rank ^ 1));
    while (!ptx::mbarrier_try_wait_parity(&bar[2], 0)) {
    }
    while (!ptx::mbarrier_try_wait_parity(&bar[3], 0)) {
    }
    peer_out[blockIdx.x * N + threadIdx.x] = from_peer[threadIdx.x] + (threadIdx.x < 32 ? remote[threadIdx.x] : 0);
    cluster.sync();
}
int main() {
    int *in, *out, *po, *to, *m;
    cudaMalloc(&in, N * 4);
    cudaMalloc(&out, 4 * N * 4);
    cudaMalloc(&po, 4 * N * 4);
    cudaMalloc(&to, 4 * N * 4);
    cudaMalloc(&m, 64 * 64 * 4);
    std::vector<int> h(4096), r(4 * N);
    for (int i = 0; i < 4096; ++i)
        h[i] = i;
    cudaMemcpy(in, h.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(m, h.data(), 4096 * 4, cudaMemcpyHostToDevice);
    CUtensorMap map;
    cuuint64_t dim[2] = {64, 64}, stride[1] = {256};
    cuuint32_t box[2] = {32, 8}, es[2] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, m, dim, stride, box, es,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    k<<<4, N>>>(in, out, po, map, to);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    int bad = 0;
    cudaMemcpy(r.data(), out, 4 * N * 4, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 4; ++b)
        for (int i = 0; i < N; ++i)
            bad += r[b * N + i] != i + b % 2;
    cudaMemcpy(r.data(), to, 4 * N * 4, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 4; ++b)
        for (int i = 0; i < N; ++i)
            bad += r[b * N + i] != (2 + i / 32) * 64 + 4 + i % 32;
    cudaMemcpy(r.data(), po, 4 * N * 4, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 4; ++b)
        for (int i = 0; i < N; ++i) {
            int o = (b % 2) ^ 1;
            bad += r[b * N + i] != i + 1000 * o + (i < 32 ? i + 100 * o : 0);
        }
    printf("bad %d\n", bad);
    return bad != 0;
}
