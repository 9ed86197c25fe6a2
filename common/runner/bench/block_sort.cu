// A radix sort of a library: CUB sorts 1,024 keys of a block, again and again.
#include <cstdint>
#include <cub/block/block_radix_sort.cuh>

extern "C" __global__ void bench(uint32_t* data, uint32_t n) {
    using Sort = cub::BlockRadixSort<uint32_t, 128, 8>;
    __shared__ Sort::TempStorage storage;
    uint32_t keys[8];
    uint32_t* mine = data + (blockIdx.x * 128 + threadIdx.x) * 8;
    for (uint32_t i = 0; i < 8; ++i)
        keys[i] = (mine[i] + threadIdx.x * 8 + i) * 2654435761u;
    for (uint32_t i = 0; i < n; ++i) {
        Sort(storage).Sort(keys, 0, 16);
        __syncthreads();
        for (uint32_t& key : keys)
            key = key * 1664525u + i;
    }
    for (uint32_t i = 0; i < 8; ++i)
        mine[i] = keys[i];
}
