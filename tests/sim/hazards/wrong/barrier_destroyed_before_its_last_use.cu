// The barrier is destroyed after the first round; all threads use it in a second one.
// says: The mbarrier storage was invalidated at barrier_destroyed_before_its_last_use.cu:
#include <cuda/barrier>

__device__ int in[64], out[64];

__global__ void kernel() {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(Barrier) unsigned char storage[sizeof(Barrier)];
    __shared__ int tile[64];
    auto* barrier = reinterpret_cast<Barrier*>(storage);
    if (threadIdx.x == 0)
        init(barrier, 64);
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
    barrier->arrive_and_wait();
    out[threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        barrier->~Barrier();
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
    barrier->arrive_and_wait(); // wrong: it exists no more // error: barrier-uninitialised
    out[threadIdx.x] += tile[63 - threadIdx.x];
}

int main() {
    kernel<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
