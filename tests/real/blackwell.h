// What the programs about Blackwell share: instructions, a small product and the host's part. It has no include guard,
// because score.py includes it once for each program, in the program's namespace.
#include <cstdint>
#include <cstdio>
#include <vector>

// A product has rows × columns, an A of rows × depth and a B of columns × depth, all of bf16.
constexpr int rows = 128, columns = 8, depth = 16;
constexpr unsigned tile_bytes = rows * depth * 2;

// --- mbarriers, clusters, copies

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}

__device__ void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void arrive(uint64_t* bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(bar)) : "memory");
}

__device__ void arrive_relaxed(uint64_t* bar) {
    asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(smem(bar)) : "memory");
}

__device__ void arrive_expect(uint64_t* bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(bar)), "r"(bytes) : "memory");
}

__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

__device__ void wait_cluster(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

__device__ void wait_relaxed(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

__device__ void bar_sync(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ unsigned peer(const void* p, unsigned rank) {
    unsigned address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(smem(p)), "r"(rank));
    return address;
}

__device__ void arrive_peer(uint64_t* bar, unsigned rank) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer(bar, rank)) : "memory");
}

__device__ void load(void* to, const void* from, unsigned bytes, uint64_t* bar) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(smem(to)),
        "l"(from), "r"(bytes), "r"(smem(bar))
        : "memory");
}

// The barrier is named by its address in the cluster.
__device__ void load_signalling(void* to, const void* from, unsigned bytes, unsigned bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     peer(to, rank())),
                 "l"(from), "r"(bytes), "r"(bar)
                 : "memory");
}

// To each block of the mask, where its own barrier counts the bytes.
__device__ void load_all(void* to, const void* from, unsigned bytes, uint64_t* bar, uint16_t mask) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(smem(to)),
                 "l"(from), "r"(bytes), "r"(smem(bar)), "h"(mask)
                 : "memory");
}

// --- Tensor Memory

template <int group = 1>
__device__ void alloc(unsigned* to, unsigned count) {
    asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(smem(to)), "r"(count),
                 "n"(group)
                 : "memory");
}

template <int group = 1>
__device__ void dealloc(unsigned cells, unsigned count) {
    asm volatile("tcgen05.dealloc.cta_group::%2.sync.aligned.b32 %0, %1;" ::"r"(cells), "r"(count), "n"(group)
                 : "memory");
}

template <int group = 1>
__device__ void relinquish() {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::%0.sync.aligned;" ::"n"(group) : "memory");
}

// The 32 lanes that the warp may load and store.
__device__ unsigned own(unsigned cells) {
    return cells + (threadIdx.x / 32 % 4 << 21);
}

struct Row {
    float of[columns];
};

__device__ Row ld(unsigned cells) {
    Row r;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=f"(r.of[0]), "=f"(r.of[1]), "=f"(r.of[2]), "=f"(r.of[3]), "=f"(r.of[4]), "=f"(r.of[5]),
                   "=f"(r.of[6]), "=f"(r.of[7])
                 : "r"(cells)
                 : "memory");
    return r;
}

__device__ void wait_ld() {
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

// Eight columns of the thread's lane get the same word.
__device__ void st(unsigned cells, unsigned word) {
    asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1, %1, %1, %1, %1, %1, %1, %1};" ::"r"(cells), "r"(word)
                 : "memory");
}

__device__ void wait_st() {
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

__device__ void fence_before() {
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

__device__ void fence_after() {
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

__device__ float sum(const Row& r) {
    float all = 0;
    for (float value : r.of)
        all += value;
    return all;
}

// --- products

__host__ __device__ uint16_t bf16(int value) {
    const float number = static_cast<float>(value);
    uint32_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return static_cast<uint16_t>(bits >> 16);
}

// Where element k of a row is in a tile without swizzle: 8 rows of 16 bytes, then the same rows from k = 8 on.
__host__ __device__ constexpr int place(int row, int k) {
    return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8;
}

__host__ __device__ void fill(uint16_t* tile, int row, int value) {
    for (int k = 0; k < depth; ++k)
        tile[place(row, k)] = bf16(value);
}

// In a cluster, the high bits of an address name the block.
__device__ uint64_t matrix(const void* tile) {
    return (smem(tile) & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32 | 1ull << 46;
}

__device__ constexpr unsigned product(int m, int n) {
    return 1u << 4 | 1u << 7 | 1u << 10 | n / 8u << 17 | m / 16u << 24;
}

template <int group = 1, int m = rows* group, int n = columns* group>
__device__ void mma(unsigned d, const void* a, const void* b, bool accumulate = false) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::%5.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
        "l"(matrix(a)), "l"(matrix(b)), "r"(product(m, n)), "r"(unsigned(accumulate)), "n"(group)
        : "memory");
}

// A is in eight columns of Tensor Memory.
template <int group = 1>
__device__ void mma_ts(unsigned d, unsigned a, const void* b, bool accumulate = false) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::%5.kind::f16 [%0], [%1], %2, %3, p; }" ::"r"(d),
        "r"(a), "l"(matrix(b)), "r"(product(rows * group, columns * group)), "r"(unsigned(accumulate)), "n"(group)
        : "memory");
}

// Tiles of bytes with K = 32, and scale factors in Tensor Memory: four columns for A, one for B.
__device__ void mma_scaled(unsigned d, const void* a, const void* b, unsigned scales_a, unsigned scales_b) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale "
                 "[%0], %1, %2, %3, [%4], [%5], p; }" ::"r"(d),
                 "l"(matrix(a)), "l"(matrix(b)), "r"(1u << 23 | columns / 8u << 17 | rows / 128u << 27), "r"(scales_a),
                 "r"(scales_b)
                 : "memory");
}

// 32 rows of 16 bytes go to four columns, in each quarter of the lanes.
__device__ void copy_scales(unsigned to, const void* from) {
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to),
                 "l"((smem(from) & 0x3ffff) >> 4 | 8ull << 32 | 1ull << 46)
                 : "memory");
}

template <int group = 1>
__device__ void commit(uint64_t* bar) {
    asm volatile("tcgen05.commit.cta_group::%1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(smem(bar)),
                 "n"(group)
                 : "memory");
}

// It arrives in each block of the mask.
template <int group = 2>
__device__ void commit_all(uint64_t* bar, uint16_t mask) {
    asm volatile(
        "tcgen05.commit.cta_group::%2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
            smem(bar)),
        "h"(mask), "n"(group)
        : "memory");
}

// --- cluster launch control

__device__ void try_cancel(void* response, uint64_t* bar) {
    asm volatile(
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
            smem(response)),
        "r"(smem(bar))
        : "memory");
}

__device__ void try_cancel_all(void* response, uint64_t* bar) {
    asm volatile(
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
        "[%0], [%1];" ::"r"(smem(response)),
        "r"(smem(bar))
        : "memory");
}

// Is there another tile? Then its number, that of the cancelled cluster's first block.
__device__ bool next_tile(const void* response, int& tile) {
    int more;
    asm volatile("{ .reg .pred p; .reg .b128 r; ld.shared.b128 r, [%2];"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r; selp.b32 %0, 1, 0, p;"
                 "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, r; }"
                 : "=r"(more), "+r"(tile)
                 : "r"(smem(response))
                 : "memory");
    return more;
}

// --- the host's part

// Row r of tile t is (t + r) % 16 in all columns; with a B of ones a row of the product has the sum of_row(t, r).
constexpr float of_row(int tile, int row) {
    return static_cast<float>((tile + row) % 16 * depth * columns);
}

std::vector<uint16_t> tiles(int count) {
    std::vector<uint16_t> all(count * rows * depth);
    for (int t = 0; t < count; ++t)
        for (int r = 0; r < rows; ++r)
            fill(&all[t * rows * depth], r, (t + r) % 16);
    return all;
}

template <class T>
T* to_device(const std::vector<T>& values) {
    T* p;
    cudaMalloc(&p, values.size() * sizeof(T));
    cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

template <class F>
int verdict(const float* out, int count, F&& expected) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::vector<float> values(count);
    cudaMemcpy(values.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < count; ++i)
        wrong += values[i] != expected(i);
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}
