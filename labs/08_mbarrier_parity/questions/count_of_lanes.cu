__global__ void exchange(const int* in, int* out) {
    __shared__ int tile[64];
    __shared__ unsigned long long object;
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&object));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(barrier) : "memory");
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier) : "memory");
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier)
                     : "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    int* memory;
    cudaMalloc(&memory, 128 * sizeof(int));
    cudaMemset(memory, 0, 128 * sizeof(int));
    exchange<<<1, 64>>>(memory, memory + 64);
    cudaDeviceSynchronize();
}
