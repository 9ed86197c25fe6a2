// One tensor copy, as a case describes it: the map (made on the host, or changed here by tensormap.replace), shared
// memory filled, the copy, what it counted on its mbarrier, and shared memory afterwards.
#pragma once

#include "cases.h"

namespace differential {

struct Result {
    uint32_t finished; ///< the kernel came to its end
    uint32_t tx;       ///< bytes that a load counted on its mbarrier; ~0: more or fewer than could be found out
};

__device__ inline uint32_t shared_address(const void* at) {
    return uint32_t(__cvta_generic_to_shared(at));
}

__host__ __device__ inline uint32_t mixed(uint32_t x) {
    x = (x ^ x >> 15) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/// One of: subnormal, smallest normal, about 1, largest, infinite or not a number; the mantissa ends in 0…0, 10…0, 01…1
/// or 10…01 below the bits that a tf32 has.
__host__ __device__ inline uint32_t edge(uint32_t x, int bits, int mantissa) {
    const uint32_t most = (1u << (bits - 1 - mantissa)) - 1,
                   kinds[] = {0, 1, most / 2, most / 2 + 1, most - 1, most, 0, 0};
    uint32_t low = x & ((1u << mantissa) - 1);
    if (mantissa == 23) {
        const uint32_t ends[] = {0, 0x1000, 0xfff, 0x1001};
        low = (low & ~0x1fffu) | ends[x >> 30];
    } else if (x >> 30 == 0) {
        low = 0;
    }
    return (x >> 29 & 1) << (bits - 1) | kinds[x >> 26 & 7] << mantissa | low;
}

/// Bits that look random; see Data.
__host__ __device__ inline uint32_t pattern(uint32_t word, uint32_t seed, int type, int data) {
    const uint32_t x = mixed(word * 0x9e3779b9u ^ seed);
    const int size = type_bytes(type);
    if (data == wild)
        return x;
    if (type < 6)
        return size < 4 ? x & 0x0f0f0f0f : size == 8 && word % 2 ? 0 : x & 0xff;
    if (size == 2) {
        const int mantissa = type == 9 ? 7 : 10;
        const uint32_t one = type == 9 ? 0x3f80 : 0x3c00;
        return data == tame ? (one + (x & 0xff)) | (one + (x >> 16 & 0xff)) << 16
                            : edge(x, 16, mantissa) | edge(mixed(x), 16, mantissa) << 16;
    }
    if (size == 8)
        return word % 2 == 0  ? (data == edges && x >> 31 ? x : 0)
               : data == tame ? 0x3ff00000u | (x & 0xfffff)
                              : edge(x, 32, 20);
    return data == tame ? 0x3f800000u | (x & 0xff) << 15 : edge(x, 32, 23);
}

#define AT_1 "{%3}"
#define AT_2 "{%3, %4}"
#define AT_3 "{%3, %4, %5}"
#define AT_4 "{%3, %4, %5, %6}"
#define AT_5 "{%3, %4, %5, %6, %7}"
#define COORDINATES "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4])
#define SWITCH_RANK(USE)                                                                                               \
    switch (c.rank) {                                                                                                  \
    case 1:                                                                                                            \
        USE(1);                                                                                                        \
        break;                                                                                                         \
    case 2:                                                                                                            \
        USE(2);                                                                                                        \
        break;                                                                                                         \
    case 3:                                                                                                            \
        USE(3);                                                                                                        \
        break;                                                                                                         \
    case 4:                                                                                                            \
        USE(4);                                                                                                        \
        break;                                                                                                         \
    default:                                                                                                           \
        USE(5);                                                                                                        \
    }

__device__ inline void load(const Case& c, const void* map, uint32_t tile, uint32_t barrier){
#define LOAD(N)                                                                                                        \
    asm volatile("cp.async.bulk.tensor." #N "d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " AT_##N \
                 "], [%2];" ::"r"(tile),                                                                               \
                 "l"(map), "r"(barrier), COORDINATES                                                                   \
                 : "memory")
    SWITCH_RANK(LOAD)}

__device__ inline void load_im2col(const Case& c, const void* map, uint32_t tile, uint32_t barrier) {
#define LOAD_IM2COL(N, OFFSETS)                                                                                        \
    asm volatile("cp.async.bulk.tensor." #N                                                                            \
                 "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " AT_##N "], [%2], " OFFSETS \
                                                                                                   ";" ::"r"(tile),    \
                 "l"(map), "r"(barrier), COORDINATES, "h"(c.shift[0]), "h"(c.shift[1]), "h"(c.shift[2])                \
                 : "memory")
    if (c.rank == 3)
        LOAD_IM2COL(3, "{%8}");
    else if (c.rank == 4)
        LOAD_IM2COL(4, "{%8, %9}");
    else
        LOAD_IM2COL(5, "{%8, %9, %10}");
}

__device__ inline void store(const Case& c, const void* map, uint32_t tile) {
#define TO_GLOBAL(NAME, N, MODE)                                                                                       \
    asm volatile(NAME MODE ".bulk_group [%1, " AT_##N "], [%0];" ::"r"(tile), "l"(map), "r"(0), COORDINATES : "memor"  \
                                                                                                              "y")
#define STORE(N) TO_GLOBAL("cp.async.bulk.tensor." #N "d.global.shared::cta", N, ".tile")
#define STORE_IM2COL(N) TO_GLOBAL("cp.async.bulk.tensor." #N "d.global.shared::cta", N, ".im2col_no_offs")
    if (!c.im2col()) {
        SWITCH_RANK(STORE)
    } else if (c.rank == 3) {
        STORE_IM2COL(3);
    } else if (c.rank == 4) {
        STORE_IM2COL(4);
    } else {
        STORE_IM2COL(5);
    }
}

__device__ inline void reduce(const Case& c, const void* map, uint32_t tile) {
#define REDUCE(OP, N) TO_GLOBAL("cp.reduce.async.bulk.tensor." #N "d.global.shared::cta." OP, N, ".tile")
#define ADD(N) REDUCE("add", N)
#define MIN(N) REDUCE("min", N)
#define MAX(N) REDUCE("max", N)
#define INC(N) REDUCE("inc", N)
#define DEC(N) REDUCE("dec", N)
#define AND(N) REDUCE("and", N)
#define OR(N) REDUCE("or", N)
#define XOR(N) REDUCE("xor", N)
    switch (c.reduction) {
    case 0:
        SWITCH_RANK(ADD) break;
    case 1:
        SWITCH_RANK(MIN) break;
    case 2:
        SWITCH_RANK(MAX) break;
    case 3:
        SWITCH_RANK(INC) break;
    case 4:
        SWITCH_RANK(DEC) break;
    case 5:
        SWITCH_RANK(AND) break;
    case 6:
        SWITCH_RANK(OR) break;
    default:
        SWITCH_RANK(XOR)
    }
}

#define FIELD(SPACE, NAME, WIDTH, VALUE)                                                                               \
    asm volatile("tensormap.replace.tile." NAME "." SPACE ".b1024." WIDTH " [%0], %1;" ::"l"(map), VALUE : "memory")
#define OF_DIMENSION(SPACE, NAME, WIDTH, ORD, VALUE)                                                                   \
    asm volatile("tensormap.replace.tile." NAME "." SPACE ".b1024." WIDTH " [%0], " #ORD ", %1;" ::"l"(map), VALUE     \
                 : "memory")
#define EACH_DIMENSION(SPACE, D)                                                                                       \
    if (c.replaced & Field::box << D)                                                                                  \
        OF_DIMENSION(SPACE, "box_dim", "b32", D, "r"(c.box[D]));                                                       \
    if (c.replaced & Field::dim << D)                                                                                  \
        OF_DIMENSION(SPACE, "global_dim", "b32", D, "r"(uint32_t(c.dim[D])));                                          \
    if (c.replaced & Field::step << D)                                                                                 \
        OF_DIMENSION(SPACE, "element_stride", "b32", D, "r"(c.step[D]));
#define EACH_STRIDE(SPACE, D)                                                                                          \
    if (c.replaced & Field::stride << D)                                                                               \
        OF_DIMENSION(SPACE, "global_stride", "b64", D, "l"(c.stride[D]));
#define ONE_OF(SPACE, NAME, N)                                                                                         \
    case N:                                                                                                            \
        FIELD(SPACE, NAME, "b32", "n"(N));                                                                             \
        break;
#define REPLACE_ALL(SPACE)                                                                                             \
    if (c.replaced & Field::address)                                                                                   \
        FIELD(SPACE, "global_address", "b64", "l"(tensor));                                                            \
    if (c.replaced & Field::rank)                                                                                      \
        FIELD(SPACE, "rank", "b32", "r"(c.rank - 1));                                                                  \
    EACH_DIMENSION(SPACE, 0)                                                                                           \
    EACH_DIMENSION(SPACE, 1) EACH_DIMENSION(SPACE, 2) EACH_DIMENSION(SPACE, 3) EACH_DIMENSION(SPACE, 4)                \
        EACH_STRIDE(SPACE, 0) EACH_STRIDE(SPACE, 1) EACH_STRIDE(SPACE, 2)                                              \
            EACH_STRIDE(SPACE, 3) if (c.replaced & Field::type) switch (ptx_type) {                                    \
        ONE_OF(SPACE, "elemtype", 0)                                                                                   \
        ONE_OF(SPACE, "elemtype", 1) ONE_OF(SPACE, "elemtype", 2) ONE_OF(SPACE, "elemtype", 3)                         \
            ONE_OF(SPACE, "elemtype", 4) ONE_OF(SPACE, "elemtype", 5) ONE_OF(SPACE, "elemtype", 6)                     \
                ONE_OF(SPACE, "elemtype", 7) ONE_OF(SPACE, "elemtype", 8) ONE_OF(SPACE, "elemtype", 9)                 \
                    ONE_OF(SPACE, "elemtype", 10) ONE_OF(SPACE, "elemtype", 11) ONE_OF(SPACE, "elemtype", 12)          \
    }                                                                                                                  \
    if (c.replaced & Field::interleave)                                                                                \
        switch (c.interleave) {                                                                                        \
            ONE_OF(SPACE, "interleave_layout", 0)                                                                      \
            ONE_OF(SPACE, "interleave_layout", 1) ONE_OF(SPACE, "interleave_layout", 2)                                \
        }                                                                                                              \
    if (c.replaced & Field::swizzle)                                                                                   \
        switch (c.swizzle) {                                                                                           \
            ONE_OF(SPACE, "swizzle_mode", 0)                                                                           \
            ONE_OF(SPACE, "swizzle_mode", 1) ONE_OF(SPACE, "swizzle_mode", 2) ONE_OF(SPACE, "swizzle_mode", 3)         \
        }                                                                                                              \
    if (c.replaced & Field::fill)                                                                                      \
        switch (c.fill) { ONE_OF(SPACE, "fill_mode", 0) ONE_OF(SPACE, "fill_mode", 1) }

__device__ inline void replace_in_global(const Case& c, int ptx_type, void* map,
                                         const void* tensor){REPLACE_ALL("global")}
#undef FIELD
#undef OF_DIMENSION
#define FIELD(SPACE, NAME, WIDTH, VALUE)                                                                               \
    asm volatile("tensormap.replace.tile." NAME "." SPACE ".b1024." WIDTH " [%0], %1;" ::"r"(map), VALUE : "memory")
#define OF_DIMENSION(SPACE, NAME, WIDTH, ORD, VALUE)                                                                   \
    asm volatile("tensormap.replace.tile." NAME "." SPACE ".b1024." WIDTH " [%0], " #ORD ", %1;" ::"r"(map), VALUE     \
                 : "memory")
__device__ inline void replace_in_shared(const Case& c, int ptx_type, uint32_t map,
                                         const void* tensor){REPLACE_ALL("shared::cta")}

/// The first warp: the map with its fields replaced, published in global memory and acquired by this block.
__device__ inline void replace(const Case& c, int ptx_type, uint32_t* staged, uint32_t* published, const void* tensor) {
    const uint32_t at = shared_address(staged);
    if (threadIdx.x == 0) {
        if (c.in_global)
            replace_in_global(c, ptx_type, published, tensor);
        else
            replace_in_shared(c, ptx_type, at, tensor);
    }
    __syncwarp();
    if (!c.in_global)
        asm volatile(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::
                "l"(published),
            "r"(at)
            : "memory");
    else if (threadIdx.x == 0)
        asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    __syncwarp();
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(published) : "memory");
}

__device__ inline bool phase_over(uint32_t barrier, uint32_t parity = 0) {
    uint32_t over;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 1000; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return over;
}
__device__ inline void expect(uint32_t barrier, uint32_t bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/// Waits for a copy that should count `expected` bytes; finds out how many it did count.
__device__ inline uint32_t count_bytes(uint32_t barrier, uint32_t expected) {
    for (int n = 0; n < 2000; ++n)
        if (phase_over(barrier))
            return expected;
    uint32_t removed = 0;
    for (; removed < expected;) {
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        ++removed;
        if (phase_over(barrier))
            return expected - removed;
    }
    for (uint32_t added = 1; added < (1 << 17); ++added) {
        expect(barrier, 1);
        if (phase_over(barrier))
            return expected - removed + added;
    }
    return ~0u;
}

__global__ void copy(const __grid_constant__ CUtensorMap map, const __grid_constant__ Case c, int ptx_type, bool dump,
                     const void* tensor, CUtensorMap* published, uint32_t* after, Result* result) {
    extern __shared__ uint32_t raw[];
    __shared__ alignas(8) uint64_t barrier_object;
    __shared__ alignas(128) uint32_t staged[32];
    uint32_t* const room = raw + ((1024 - shared_address(raw) % 1024) % 1024) / 4;
    const uint32_t words = c.region() / 4, barrier = shared_address(&barrier_object);
    const uint32_t tile = shared_address(room) + 1024 + uint32_t(c.base);
    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
        room[i] = dump ? 0x80000000u | i : pattern(i, 0x5eed, c.type, c.data);
    if (threadIdx.x < 32) {
        staged[threadIdx.x] = reinterpret_cast<const uint32_t*>(&map)[threadIdx.x];
        __syncwarp();
        if (c.replaced)
            replace(c, ptx_type, staged, reinterpret_cast<uint32_t*>(published), tensor);
    }
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const void* const used = c.replaced ? published : &map;
        result->tx = 0;
        if (c.loads()) {
            const auto expected = uint32_t(c.tile_bytes());
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(expected)
                         : "memory");
            c.im2col() ? load_im2col(c, used, tile, barrier) : load(c, used, tile, barrier);
            result->tx = count_bytes(barrier, expected);
        } else {
            c.kind == Kind::reduce ? reduce(c, used, tile) : store(c, used, tile);
            asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
        }
        result->finished = 1;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
        after[i] = room[i];
}

} // namespace differential
