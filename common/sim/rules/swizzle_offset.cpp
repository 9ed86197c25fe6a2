#include <fmt/format.h>

#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::swizzle_offset{
    .name = "swizzle-offset",
    .severity = Severity::note,
    .if_wrong = true,
    .title = "A tile with a swizzle does not start at a multiple of the swizzle's period",
    .why = R"(A swizzle exchanges 16-byte pieces by an exclusive or of bits of the shared address. The pattern repeats
        every 1024 bytes for the 128-byte swizzle, every 512 for 64 bytes and every 256 for 32 bytes. The copy needs
        an alignment of 128 bytes only, but code that finds a piece by the number of its row in the tile is right only
        if the tile starts at a multiple of the period. Dynamic shared memory is aligned to less than that unless you
        align the pointer yourself.)",
    .remedy = "Align the tile to the period of its swizzle: 1024, 512 or 256 bytes.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#tensor-swizzling-modes",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* tile = facts.as<events::SwizzleOffset>();
        if (!tile)
            return std::nullopt;
        return Explanation{
            .action = "copied a swizzled tile that starts inside of the swizzle's period",
            .message =
                fmt::format("The tile starts {} bytes past a multiple of {}. The {}-byte swizzle permutes by bits of "
                            "the shared address, not by the number of the tile's row: row r of this tile is permuted "
                            "like row r + {} of a tile that starts at a multiple of {}.",
                            tile->past, tile->period, tile->span, tile->past / 128, tile->period),
            .remedy =
                fmt::format("Align the tile to {} bytes, or let its readers and writers compute the position of a "
                            "byte from its shared address.",
                            tile->period),
        };
    },
    .wrong = R"cuda(#include <cuda.h>
#include <cuda/ptx>

constexpr int rows = 8, columns = 32;
__device__ int out[rows][columns];

__global__ void load(const __grid_constant__ CUtensorMap map) {
    namespace ptx = cuda::ptx;
    __shared__ alignas(1024) int memory[2 * rows * columns];
    __shared__ uint64_t filled;
    int* const tile = memory + 32; // wrong: 128 bytes past a multiple of 1024
    const int i = threadIdx.x;
    if (i == 0) {
        ptx::mbarrier_init(&filled, 1);
        const int at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &filled);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &filled,
                                       rows * columns * sizeof(int));
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&filled, 0)) {
    }
    for (int y = 0; y < rows; ++y)
        out[y][i] = tile[y * columns + (i ^ y << 2)]; // piece p of row y lies at p ^ y
}

CUtensorMap map_of(void* matrix) {
    CUtensorMap map;
    const cuuint64_t dims[] = {columns, rows}, strides[] = {columns * sizeof(int)};
    const cuuint32_t box[] = {columns, rows}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, dims, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

int main() {
    void* matrix;
    cudaMalloc(&matrix, rows * columns * sizeof(int));
    cudaMemset(matrix, 0, rows * columns * sizeof(int));
    load<<<1, columns>>>(map_of(matrix));
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    int* const tile = memory + 32; // wrong: 128 bytes past a multiple of 1024
+    int* const tile = memory + rows * columns; // a multiple of 1024 bytes
)",
};

} // namespace sim::hazards
