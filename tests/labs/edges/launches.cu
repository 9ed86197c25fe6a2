// The launches of the labs' solutions for sizes at the edge, up to 2^31 - 2^22 elements and grids that would need a
// second dimension beyond 65,535 blocks. Nothing runs and nothing is allocated: the program has its own function that
// launches, which looks at the configuration. So this takes no time, where a case in a check would take seconds.
#include "lab.h"

#include <algorithm>
#include <climits>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_awbarrier_primitives.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <iterator>
#include <utility>

#include "tma.h"
#include "wgmma.h"

#undef LAB_ENTRY
#define LAB_ENTRY(function)

namespace lab01 {
#include "../../../solutions/01_synchronous_staging/kernel.cu"
}
namespace lab03 {
#include "../../../solutions/03_pipeline_primitives/kernel.cu"
}
namespace lab05 {
#include "../../../solutions/05_wait_group/kernel.cu"
}
namespace lab06 {
#include "../../../solutions/06_cuda_pipeline/kernel.cu"
}
namespace lab07 {
#include "../../../solutions/07_split_barrier/kernel.cu"
}
namespace lab08 {
#include "../../../solutions/08_mbarrier_parity/kernel.cu"
}
namespace lab09 {
#include "../../../solutions/09_tma_bulk_1d/kernel.cu"
}
namespace lab10 {
#include "../../../solutions/10_tma_prefetch_ring/kernel.cu"
}
namespace lab11 {
#include "../../../solutions/11_tensor_map_2d/kernel.cu"
}
namespace lab13 {
#include "../../../solutions/13_swizzle_transpose/kernel.cu"
}
namespace lab21 {
#include "../../../solutions/21_attention_pipeline/kernel.cu"
}

namespace {

dim3 grid{}; // of the last launch
int launches = 0;
bool failed = false;

void expect(bool holds, const char* what, int n) {
    if (!holds)
        std::printf("%s, with %d: a grid of %u x %u x %u\n", what, n, grid.x, grid.y, grid.z);
    failed |= !holds;
}

// Blocks take the tiles blockIdx.x, blockIdx.x + gridDim.x and so on, and count elements in a number that must not pass
// `most` when a block looks for a tile after its last.
template <class Launch>
void one_dimension(const char* lab, int tile, Launch launch, int64_t most = INT_MAX) {
    for (const int n : {0, 1, tile, (1 << 30) + 1, INT_MAX - (1 << 22) + 1}) {
        launches = 0;
        const cudaError_t error = launch(n);
        expect(error == cudaSuccess && launches <= 1 && (launches == 1 || n == 0), lab, n);
        expect(grid.y == 1 && grid.z == 1, lab, n);
        if (launches)
            expect(int64_t(n) - 1 + int64_t(grid.x) * tile <= most, lab, n);
    }
}

// As many blocks as tiles, in one dimension.
void tiles(const char* lab, cudaError_t error, unsigned wanted) {
    expect(error == cudaSuccess && grid.x == wanted && grid.y == 1 && grid.z == 1, lab, int(wanted));
}

__global__ void nothing() {}

template <class T>
T* somewhere() { // nothing reads it
    return reinterpret_cast<T*>(uint64_t{1} << 40);
}

} // namespace

// What `kernel<<<grid, block>>>` calls, in CUDA 13 and in CUDA 12.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3 of, dim3, void**, size_t, cudaStream_t) {
    grid = of, ++launches;
    return cudaSuccess;
}
extern "C" cudaError_t cudaLaunchKernel(const void*, dim3 of, dim3, void**, size_t, cudaStream_t) {
    grid = of, ++launches;
    return cudaSuccess;
}

int main() {
    float* const x = somewhere<float>();
    uint32_t* const u = somewhere<uint32_t>();
    float* sum = nullptr;
    cudaMalloc(&sum, sizeof *sum);
    one_dimension("01", lab01::TILE, [&](int n) { return lab01::launch(x, x, n, nullptr); });
    one_dimension("03", lab03::TILE, [&](int n) { return lab03::launch(x, x, n, nullptr); });
    for (const int stages : {2, 6})
        one_dimension("05", lab05::TILE, [&](int n) { return lab05::launch(u, u, n, stages, nullptr); });
    for (const auto scope : {lab06::Scope::thread, lab06::Scope::block, lab06::Scope::partitioned})
        one_dimension("06", lab06::TILE,
                      [&](int n) { return lab06::launch(u, reinterpret_cast<uint32_t*>(sum), n, scope, nullptr); });
    one_dimension("07", lab07::TILE, [&](int n) { return lab07::launch(u, u, n, nullptr); });
    one_dimension("08", lab08::TILE, [&](int n) { return lab08::launch(u, u, n, nullptr); });
    one_dimension(
        "09", lab09::TILE, [&](int n) { return lab09::launch(x, n, 2, nullptr); }, UINT_MAX);
    for (const int stages : {2, lab10::MAX_STAGES})
        one_dimension("10", lab10::TILE, [&](int n) { return lab10::launch(x, sum, n, stages, nullptr); });

    // More than 65,535 tiles below each other, or beside each other.
    constexpr int many = 70000;
    const auto parameter = lab11::Way::parameter;
    tiles("11", lab11::launch(parameter, u, many * lab11::HEIGHT, 4, 4, u, nullptr, nullptr), many);
    tiles("11", lab11::launch(parameter, u, 1, many * lab11::WIDTH, many * lab11::WIDTH, u, nullptr, nullptr), many);
    const auto pixels = somewhere<uint4>();
    tiles("13", lab13::launch(pixels, pixels, many * lab13::TILE, 1, 128, nullptr), many);
    tiles("13", lab13::launch(pixels, pixels, 1, many * lab13::TILE, 32, nullptr), many);
    const auto rows = somewhere<__nv_bfloat16>();
    tiles("21", lab21::launch(rows, rows, rows, rows, many, 1, 1, false, nullptr), many);
    tiles("21", lab21::launch(rows, rows, rows, rows, 2, many * lab21::ROWS, 1, false, nullptr), 2 * many);
    cudaLaunchConfig_t config{};
    config.gridDim = config.blockDim = 1;
    cudaLaunchKernelEx(&config, nothing); // really: a program without kernels is not judged
    std::puts(failed ? "failed" : "passed");
    return failed;
}
