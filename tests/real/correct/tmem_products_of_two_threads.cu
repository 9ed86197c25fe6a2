// why: two threads multiply into one accumulator in turn: the first one's arrival orders the second one, and each
//     commits its own product
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ uint64_t turn;
    __shared__ unsigned cells;
    fill(a, threadIdx.x % rows, threadIdx.x % rows % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        init(&turn, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        mma(d, a, b);
        commit(&turn);
    } else if (threadIdx.x == 32) {
        wait(&turn, 0);
        mma(d, a, b, true);
        commit(&done);
    }
    __syncwarp();
    wait(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    out[threadIdx.x] = sum(r) / 2;
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, 128>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i); });
}
