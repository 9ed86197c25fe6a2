// Without a race, and yet it fails under some schedules: where the first warp counts to its end before the others
// begin.
__global__ void count(int* counter, int* last) {
    int mine = 0;
    for (int i = 0; i < 500; ++i)
        mine = atomicAdd(counter, 1);
    if (threadIdx.x % 32 == 31)
        last[threadIdx.x / 32] = mine;
}

int main(int arguments, char**) {
    int* memory;
    cudaMalloc(&memory, 5 * sizeof(int));
    cudaMemset(memory, 0, 5 * sizeof(int));
    count<<<1, 128>>>(memory, memory + 1);
    int last = 0;
    cudaMemcpy(&last, memory + 1, sizeof last, cudaMemcpyDeviceToHost);
    return arguments > 1 && last < 500 * 32 ? 9 : 0;
}
