// The mistakes that a kernel can make, one at a time.
#pragma once

#include <cassert>

#include "harness.h"

namespace differential {

enum Mistake : int {
    misaligned_load,
    misaligned_store,
    misaligned_shared_load,
    null_load,
    load_of_nothing,
    store_to_nothing,
    shared_load_of_nothing,
    trap,
    failed_assert,
    shared_16_aligned,
    shared_64_aligned,
    coordinate,
    rank,
    garbage_map,
    zero_map,
    local_map,
    shared_map,
    map_16_aligned,
    negative_store,
    tile_of_nothing,
    tile_store_to_nothing,
    tile_beyond_shared,
    bulk_shared_8,
    bulk_global_8,
    bulk_size_24,
    bulk_size_0,
    bulk_of_nothing,
    bulk_beyond_shared,
    bulk_store_8,
    bulk_store_size_24,
    bulk_store_to_nothing,
    async_source,
    async_shared,
    async_of_nothing,
    async_none_of_nothing,
    init_zero,
    init_too_large,
    barrier_4_aligned,
    arrive_uninitialised,
    arrive_too_often,
    expect_too_much,
    rank_of_nobody,
    multicast_to_nobody,
    replace_16_aligned,
    mistakes
};
constexpr const char* mistake_names[] = {"load of 4 bytes at an address + 2",
                                         "store of 4 bytes at an address + 2",
                                         "shared load of 4 bytes at an address + 2",
                                         "load at address 0",
                                         "load outside all allocations",
                                         "store outside all allocations",
                                         "shared load beyond the block's memory",
                                         "trap",
                                         "assert",
                                         "tile at a shared address that is 16-byte aligned",
                                         "tile at a shared address that is 64-byte aligned",
                                         "tile at an inner coordinate that is no multiple of 16 bytes",
                                         "copy of 3 dimensions with a map of 2",
                                         "map of bytes 0xff",
                                         "map of bytes 0",
                                         "map in local memory",
                                         "map in shared memory",
                                         "map at an address + 16",
                                         "tile stored at coordinate -4",
                                         "tile of a tensor outside all allocations",
                                         "tile stored to a tensor outside all allocations",
                                         "tile beyond the block's shared memory",
                                         "bulk copy to a shared address + 8",
                                         "bulk copy from an address + 8",
                                         "bulk copy of 24 bytes",
                                         "bulk copy of 0 bytes",
                                         "bulk copy from outside all allocations",
                                         "bulk copy to beyond the block's shared memory",
                                         "bulk store to an address + 8",
                                         "bulk store of 24 bytes",
                                         "bulk store to outside all allocations",
                                         "cp.async of 16 bytes from an address + 8",
                                         "cp.async of 16 bytes to a shared address + 8",
                                         "cp.async from outside all allocations",
                                         "cp.async with src-size 0 from outside all allocations",
                                         "mbarrier.init with count 0",
                                         "mbarrier.init with count 2^20",
                                         "mbarrier at an address + 4",
                                         "arrival at a barrier of zeros",
                                         "arrivals beyond the count of a phase",
                                         "expect_tx of more than 2^20 - 1 bytes",
                                         "store to a block that the cluster does not have",
                                         "multicast to a block that the cluster does not have",
                                         "tensormap.replace at an address + 16"};

__device__ inline uint32_t at(const void* pointer) {
    return uint32_t(__cvta_generic_to_shared(pointer));
}

__device__ inline void tile(uint32_t to, const void* map, uint32_t barrier, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            to),
        "l"(map), "r"(barrier), "r"(x), "r"(y)
        : "memory");
}
__device__ inline void store_tile(uint32_t from, const void* map, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {%2, %3}], "
                 "[%0];\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::"r"(from),
                 "l"(map), "r"(x), "r"(y)
                 : "memory");
}
__device__ inline void bulk(uint32_t to, const void* from, uint32_t bytes, uint32_t barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}
__device__ inline void bulk_store(void* to, uint32_t from, uint32_t bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], "
                 "%2;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::"l"(to),
                 "r"(from), "r"(bytes)
                 : "memory");
}
__device__ inline void small(uint32_t to, const void* from, uint32_t bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n\tcp.async.wait_all;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}
__device__ inline void arrive(uint32_t barrier) {
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(barrier) : "memory");
}
__device__ inline void init(uint32_t barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ inline void expect(uint32_t barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ inline bool completes(uint32_t barrier) {
    for (int n = 0; n < 2000; ++n) {
        uint32_t over;
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 1000; selp.u32 %0, 1, 0, p; }"
            : "=r"(over)
            : "r"(barrier)
            : "memory");
        if (over)
            return true;
    }
    return false;
}

// `far`: an address in no allocation. result: 1 went on to the end, 2 timed out at a barrier.
__global__ void blunder(int mistake, const __grid_constant__ CUtensorMap map,
                        const __grid_constant__ CUtensorMap far_map, char* memory, char* far, const char* maps,
                        int* result) {
    extern __shared__ __align__(1024) char room[];
    __shared__ alignas(8) uint64_t barriers[2];
    __shared__ alignas(128) char own_map[128];
    const uint32_t tile_at = at(room), barrier = at(barriers);
    init(barrier, 1);
    for (int i = 0; i < 4096; ++i)
        room[i] = char(i);
    for (int i = 0; i < 128; ++i)
        own_map[i] = maps[i];
    barriers[1] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    int sum = 0;
    bool waits = false;
    switch (mistake) {
    case misaligned_load:
        sum = *reinterpret_cast<volatile int*>(memory + 2);
        break;
    case misaligned_store:
        *reinterpret_cast<volatile int*>(memory + 2) = 1;
        break;
    case misaligned_shared_load:
        sum = *reinterpret_cast<volatile int*>(room + 2);
        break;
    case null_load:
        sum = *reinterpret_cast<volatile int*>(far - reinterpret_cast<size_t>(far));
        break;
    case load_of_nothing:
        sum = *reinterpret_cast<volatile int*>(far);
        break;
    case store_to_nothing:
        *reinterpret_cast<volatile int*>(far) = 1;
        break;
    case shared_load_of_nothing:
        sum = *reinterpret_cast<volatile int*>(room + (240 << 10));
        break;
    case trap:
        __trap();
    case failed_assert:
        assert(mistake == -1);
        break;
    case shared_16_aligned:
        tile(tile_at + 16, &map, barrier, 0, 0);
        waits = true;
        break;
    case shared_64_aligned:
        tile(tile_at + 64, &map, barrier, 0, 0);
        waits = true;
        break;
    case coordinate:
        tile(tile_at, &map, barrier, 1, 0);
        waits = true;
        break;
    case rank:
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3, "
                     "%3}], [%2];" ::"r"(tile_at),
                     "l"(&map), "r"(barrier), "r"(0)
                     : "memory");
        waits = true;
        break;
    case garbage_map:
        tile(tile_at, maps + 128, barrier, 0, 0);
        waits = true;
        break;
    case zero_map:
        tile(tile_at, maps + 256, barrier, 0, 0);
        waits = true;
        break;
    case local_map: {
        alignas(64) char copy[128];
        for (int i = 0; i < 128; ++i)
            reinterpret_cast<volatile char*>(copy)[i] = maps[i];
        tile(tile_at, copy, barrier, 0, 0);
        waits = true;
        break;
    }
    case shared_map:
        tile(tile_at, own_map, barrier, 0, 0);
        waits = true;
        break;
    case map_16_aligned:
        tile(tile_at, maps + 384 + 16, barrier, 0, 0);
        waits = true;
        break;
    case negative_store:
        store_tile(tile_at, &map, -4, 0);
        break;
    case tile_of_nothing:
        tile(tile_at, &far_map, barrier, 0, 0);
        waits = true;
        break;
    case tile_store_to_nothing:
        store_tile(tile_at, &far_map, 0, 0);
        break;
    case tile_beyond_shared:
        tile(tile_at + (225 << 10), &map, barrier, 0, 0);
        waits = true;
        break;
    case bulk_shared_8:
        bulk(tile_at + 8, memory, 1024, barrier);
        waits = true;
        break;
    case bulk_global_8:
        bulk(tile_at, memory + 8, 1024, barrier);
        waits = true;
        break;
    case bulk_size_24:
        bulk(tile_at, memory, 24, barrier);
        waits = true;
        break;
    case bulk_size_0:
        bulk(tile_at, memory, 0, barrier);
        break;
    case bulk_of_nothing:
        bulk(tile_at, far, 1024, barrier);
        waits = true;
        break;
    case bulk_beyond_shared:
        bulk(tile_at + (240 << 10), memory, 1024, barrier);
        waits = true;
        break;
    case bulk_store_8:
        bulk_store(memory + 8, tile_at, 1024);
        break;
    case bulk_store_size_24:
        bulk_store(memory, tile_at, 24);
        break;
    case bulk_store_to_nothing:
        bulk_store(far, tile_at, 1024);
        break;
    case async_source:
        small(tile_at, memory + 8, 16);
        break;
    case async_shared:
        small(tile_at + 8, memory, 16);
        break;
    case async_of_nothing:
        small(tile_at, far, 16);
        break;
    case async_none_of_nothing:
        small(tile_at, far, 0);
        break;
    case init_zero:
        init(barrier + 8, 0);
        break;
    case init_too_large:
        init(barrier + 8, 1 << 20);
        break;
    case barrier_4_aligned:
        init(barrier + 4, 1);
        break;
    case arrive_uninitialised:
        arrive(barrier + 8);
        break;
    case arrive_too_often:
        init(barrier + 8, 2);
        arrive(barrier + 8);
        asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0], 2; }" ::"r"(barrier + 8) : "memory");
        break;
    case expect_too_much:
        expect(barrier, 1 << 20);
        break;
    case rank_of_nobody: {
        uint32_t there;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 3;" : "=r"(there) : "r"(tile_at));
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(1) : "memory");
        break;
    }
    case multicast_to_nobody:
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "1024, [%2], %3;" ::"r"(tile_at),
                     "l"(memory), "r"(barrier), "h"(short(5))
                     : "memory");
        waits = true;
        break;
    case replace_16_aligned:
        asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(tile_at + 16) : "memory");
        break;
    }
    if (waits) {
        expect(barrier, 1024);
        waits = !completes(barrier);
    }
    *result = sum == 123456789 ? 3 : waits ? 2 : 1;
}

} // namespace differential
