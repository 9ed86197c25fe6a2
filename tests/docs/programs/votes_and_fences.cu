// __syncthreads_count, _and and _or; fences of every scope; a grid that agrees through a system-scope counter.
#include <cstdio>
#include <cuda/atomic>

constexpr int THREADS = 128;

__global__ void vote(const int* in, int* out, unsigned* arrived, int* total) {
    const int x = in[threadIdx.x];
    const int positive = __syncthreads_count(x > 0);
    const int all = __syncthreads_and(x > -10);
    const int any = __syncthreads_or(x == 5);
    if (threadIdx.x != 0)
        return;
    out[3 * blockIdx.x] = positive;
    out[3 * blockIdx.x + 1] = all != 0;
    out[3 * blockIdx.x + 2] = any != 0;
    __threadfence_block();  // orders for the block: too little for what follows
    __threadfence();        // for the device: what is written above comes before the count below
    __threadfence_system(); // for the host, too
    cuda::atomic_ref<unsigned, cuda::thread_scope_system> count(*arrived);
    if (count.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1) // the last block adds up
        for (unsigned block = 0; block < gridDim.x; ++block)
            *total += out[3 * block];
}

int main() {
    constexpr int BLOCKS = 6;
    int *in, *out, *total, values[THREADS], votes[3 * BLOCKS], sum = 0;
    unsigned* arrived;
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&out, sizeof votes);
    cudaMalloc(&total, sizeof *total);
    cudaMalloc(&arrived, sizeof *arrived);
    cudaMemset(total, 0, sizeof *total);
    cudaMemset(arrived, 0, sizeof *arrived);
    for (int i = 0; i < THREADS; ++i)
        values[i] = i % 8 - 2; // -2 … 5: five of eight are positive
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    vote<<<BLOCKS, THREADS>>>(in, out, arrived, total);
    cudaMemcpy(votes, out, sizeof votes, cudaMemcpyDeviceToHost);
    cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
    bool right = sum == BLOCKS * THREADS * 5 / 8;
    for (int b = 0; b < BLOCKS; ++b)
        right = right && votes[3 * b] == THREADS * 5 / 8 && votes[3 * b + 1] == 1 && votes[3 * b + 2] == 1;
    std::puts(right ? "right" : "wrong");
    return !right;
}
