#include <cstdint>
#include <cstdio>

__device__ unsigned zeros;

__global__ void clear() {
    __shared__ alignas(16) unsigned words[64];
    words[threadIdx.x] = 7;
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"(unsigned(__cvta_generic_to_shared(words))),
                     "l"(uint64_t(BYTES))
                     : "memory");
    __syncthreads();
    atomicAdd(&zeros, words[threadIdx.x] == 0);
}

int main() {
    clear<<<1, 64>>>();
    unsigned count;
    cudaMemcpyFromSymbol(&count, zeros, sizeof count);
    std::printf("answer: %u\n", count);
}
