// source: openxla/xla#40118, column offsets beyond 512 because the capacity check is skipped
// cause: The accumulators need more columns than Tensor Memory has, so the last one lies beyond its end.
// rule: tensor-memory-misused
#include "../blackwell.h"

constexpr int width = 192, stages = 3;

__global__ void fill_stages(float* out) {
    __shared__ unsigned cells;
    if (threadIdx.x < 32)
        alloc(&cells, 512);
    __syncthreads();
    const unsigned d = own(cells);
    float total = 0;
    for (int s = 0; s < stages; ++s) {
        st(d + s * width, __float_as_uint(float(s)));                   // <-- cause
        st(d + s * width + width - columns, __float_as_uint(float(s))); // <-- cause
        wait_st();
        const Row r = ld(d + s * width);
        wait_ld();
        total += sum(r);
    }
    out[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(cells, 512);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    fill_stages<<<1, rows>>>(out);
    return verdict(out, rows, [](int) { return float(columns * stages * (stages - 1) / 2); });
}
