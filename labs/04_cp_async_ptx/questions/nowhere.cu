__global__ void fetch(const int* in, int* out, int n) {
    __shared__ alignas(16) int tile[4 * 64];
    int* const mine = &tile[4 * threadIdx.x];
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(mine));
    const int* const from = 4 * threadIdx.x < n ? in + 4 * threadIdx.x : nullptr;
    const int bytes = from ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = mine[0] + mine[3];
}

int main() {
    constexpr int n = 100;
    int* memory;
    cudaMalloc(&memory, (n + 64) * sizeof(int));
    cudaMemset(memory, 0, (n + 64) * sizeof(int));
    fetch<<<1, 64>>>(memory, memory + n, n);
    cudaDeviceSynchronize();
}
