#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void add(int* totals) {
    __shared__ alignas(16) int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, totals, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

int main() {
    int *totals, values[32];
    for (int& value : values)
        value = 100;
    cudaMalloc(&totals, sizeof values);
    cudaMemcpy(totals, values, sizeof values, cudaMemcpyHostToDevice);
    add<<<BLOCKS, 32>>>(totals);
    cudaMemcpy(values, totals, sizeof values, cudaMemcpyDeviceToHost);
    std::printf("answer: %d\n", values[10]);
}
