// source: vllm-project/flash-attention#182, three releases of Tensor Memory (output, statistics, rescaling) without
//     tcgen05.wait::ld
// cause: The correction warps use what they have loaded, but nothing orders the loads themselves before the release,
//     so the next statistics may overwrite the cells.
// rule: tensor-memory-not-waited
#include "../blackwell.h"

constexpr int steps = 4;

// Warps 0-3 pass a scale of each row to warps 4-7 through Tensor Memory.
__global__ void rescale(float* out) {
    __shared__ uint64_t full, empty;
    __shared__ unsigned cells;
    if (threadIdx.x == 0) {
        init(&full, rows);
        init(&empty, rows);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    __syncthreads();
    const unsigned d = own(cells);
    if (threadIdx.x < rows) {
        for (int t = 0; t < steps; ++t) {
            wait(&empty, (t & 1) ^ 1);
            st(d, __float_as_uint(float(t + threadIdx.x))); // <-- cause
            wait_st();
            arrive(&full);
        }
    } else {
        float total = 0;
        for (int t = 0; t < steps; ++t) {
            wait(&full, t & 1);
            total += sum(ld(d));
            arrive(&empty);
        }
        out[threadIdx.x - rows] = total;
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(cells, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    rescale<<<1, 2 * rows>>>(out);
    return verdict(out, rows, [](int i) { return float(columns * (steps * i + steps * (steps - 1) / 2)); });
}
