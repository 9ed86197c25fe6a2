// source: triton#9871, no barrier before the mbarrier arrival of the leading warp on the path of asynchronous
//     products: bits differ from run to run
// cause: The leader releases the stage of shared memory although nothing orders the other warps' reads before its
//     arrival.
// rule: refill-while-read|fence-without-barrier|missing-barrier-after-wait
#include "../blackwell.h"

constexpr int count = 3;

// Four warps bring A from shared memory to Tensor Memory.
__global__ void multiply(const uint16_t* in, float* out) {
    __shared__ alignas(128) uint16_t raw[rows], b[columns * depth];
    __shared__ uint64_t loaded, empty, filled, done;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&loaded, 1);
        init(&empty, 1);
        init(&filled, rows);
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells, a = cells + columns;
    if (threadIdx.x < rows) {
        for (int t = 0; t < count; ++t) {
            wait(&loaded, t & 1);
            const unsigned value = raw[threadIdx.x];
            fence_async();
            if (threadIdx.x == 0)
                arrive(&empty);
            if (t > 0)
                wait(&done, (t - 1) & 1);
            st(own(a), value << 16 | value);
            wait_st();
            arrive(&filled);
        }
        wait(&done, (count - 1) & 1);
        const Row r = ld(own(d));
        wait_ld();
        out[threadIdx.x] = sum(r);
    } else if (threadIdx.x == rows) {
        for (int t = 0; t < count; ++t) {
            wait(&filled, t & 1);
            mma_ts(d, a, b, t != 0);
            commit(&done);
        }
    } else if (threadIdx.x == rows + 32) {
        for (int t = 0; t < count; ++t) {
            wait(&empty, (t & 1) ^ 1);
            arrive_expect(&loaded, sizeof raw);
            load(raw, in + t * rows, sizeof raw, &loaded); // <-- cause
        }
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    std::vector<uint16_t> in(count * rows);
    for (int i = 0; i < count * rows; ++i)
        in[i] = bf16((i / rows + i % rows) % 16);
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, 192>>>(to_device(in), out);
    return verdict(out, rows, [](int i) {
        float all = 0;
        for (int t = 0; t < count; ++t)
            all += of_row(t, i);
        return all;
    });
}
