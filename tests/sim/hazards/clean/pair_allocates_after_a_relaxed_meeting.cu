// Compile with --arch compute_100a. The blocks of a pair meet at the barrier of the cluster, whose relaxed arrival
// orders no accesses but shows that both have started, and then allocate Tensor Memory together. Its neighbour,
// wrong/pair_allocates_before_its_peer_has_started.cu, does not meet before.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ unsigned out[2];

__global__ void __cluster_dims__(2) allocate() {
    __shared__ unsigned address;
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait();
    ptx::tcgen05_alloc(ptx::cta_group_2, &address, 32);
    if (threadIdx.x == 0)
        out[blockIdx.x] = address;
    ptx::barrier_cluster_arrive(); // both have allocated
    ptx::barrier_cluster_wait();
    ptx::tcgen05_dealloc(ptx::cta_group_2, address, 32);
}

int main() {
    allocate<<<2, 32>>>();
    return cudaDeviceSynchronize();
}
