__global__ void patch(const int* base, const int* changes, int* out) {
    __shared__ int values[64];
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&values[threadIdx.x]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(base + threadIdx.x) : "memory");
    if (threadIdx.x % 8 == 0) // these entries have changed
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(changes + threadIdx.x / 8) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = values[threadIdx.x];
}

int main() {
    int* memory;
    cudaMalloc(&memory, 136 * sizeof(int));
    cudaMemset(memory, 0, 136 * sizeof(int));
    patch<<<1, 64>>>(memory, memory + 64, memory + 72);
    cudaDeviceSynchronize();
}
