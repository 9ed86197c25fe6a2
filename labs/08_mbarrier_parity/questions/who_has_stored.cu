__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void arrive(const void* barrier) {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(shared_address(barrier))
                 : "memory");
}

__device__ void wait(const void* barrier, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

__global__ void pass(const int* in, int* out) {
    __shared__ int buffer[32];
    __shared__ unsigned long long full;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full)) : "memory");
    __syncthreads();
    if (warp == 0) {
        buffer[lane] = in[lane];
        if (lane == 0)
            arrive(&full);
    } else {
        wait(&full, 0);
        out[lane] = buffer[31 - lane];
    }
}

int main() {
    int* memory;
    cudaMalloc(&memory, 128 * sizeof(int));
    cudaMemset(memory, 0, 128 * sizeof(int));
    pass<<<1, 64>>>(memory, memory + 64);
    cudaDeviceSynchronize();
}
