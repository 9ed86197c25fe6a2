// Hundreds of racing loads whose values nobody uses: compilers make such loads, so they are nothing to report.
__device__ int out[64];

__device__ int load(const int* from) {
    int value;
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))));
    return value;
}

__global__ void look(int rounds) {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    for (int round = 0; round < rounds; ++round) {
        const int value = load(&tile[63 - i]);
        if (round == rounds)
            out[i] = value;
    }
}

int main() {
    look<<<1, 64>>>(400);
    return cudaDeviceSynchronize();
}
