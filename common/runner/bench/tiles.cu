// How fast do tensor copies alone move tiles? No thread reads or writes a byte: one thread of each block loads tiles of
// matrices of 1024 x 1024 words into a ring and stores them from there, in the same place or in the transposed tile's.
// What a lab with such tiles can reach is at most this. `./lab run common/runner/bench/tiles.cu` prints the best of
// several rings for each shape, as a fraction of the GPU's own copy; with `-- --quick`, of one small matrix.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;

constexpr int EDGE = 1024; // words in a row, and rows, of a matrix

struct Shape {
    int width, height; // of a tile, in words
    bool transposed;   // tile (x, y) goes to (y, x) of its matrix; only for square tiles
    bool turns;        // blocks take tiles in turn; otherwise each has a run of neighbours
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Half of the stages are being loaded while the other half is being stored.
template <int HALF>
__global__ void move(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, Shape shape,
                     int tiles) {
    extern __shared__ __align__(128) char ring[];
    __shared__ uint64_t full[2 * HALF];
    const int bytes = shape.width * shape.height * 4, across = EDGE / shape.width;
    const int blocks = gridDim.x, block = blockIdx.x,
              begin = shape.turns ? block : int(int64_t(tiles) * block / blocks);
    const int step = shape.turns ? blocks : 1, end = shape.turns ? tiles : int(int64_t(tiles) * (block + 1) / blocks);
    const int count = (end - begin + step - 1) / step;
    for (auto& barrier : full)
        ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    const auto load = [&](int k) {
        if (k >= count)
            return;
        const int tile = begin + k * step, at[] = {tile % across * shape.width, tile / across * shape.height};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[k % (2 * HALF)],
                                       bytes);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring + k % (2 * HALF) * bytes, &in, at,
                                  &full[k % (2 * HALF)]);
    };
    for (int k = 0; k < HALF; ++k)
        load(k);
    for (int k = 0; k < count; ++k) {
        wait(&full[k % (2 * HALF)], k / (2 * HALF) % 2);
        const int tile = begin + k * step, x = tile % across * shape.width, y = tile / across * shape.height;
        const int row = y % EDGE, matrix = y - row,
                  at[] = {shape.transposed ? row : x, shape.transposed ? matrix + x : y};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, ring + k % (2 * HALF) * bytes);
        ptx::cp_async_bulk_commit_group();
        // The stage of tile k + HALF was stored HALF tiles ago.
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<HALF - 1>{});
        load(k + HALF);
    }
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

void check(bool good, const char* what) {
    if (!good) {
        std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
        std::exit(1);
    }
}

CUtensorMap map_of(char* base, int rows, const Shape& shape) {
    CUtensorMap map;
    const cuuint64_t size[] = {EDGE, cuuint64_t(rows)}, stride[] = {EDGE * 4};
    const cuuint32_t box[] = {cuuint32_t(shape.width), cuuint32_t(shape.height)}, step[] = {1, 1};
    check(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, base, size, stride, box, step,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
          "cuTensorMapEncodeTiled");
    return map;
}

template <class Launch>
float median(int times, const Launch& launch) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> all;
    for (int i = 0; i < times + 2; ++i) {
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        check(cudaEventSynchronize(end) == cudaSuccess, "a launch");
        float time = 0;
        cudaEventElapsedTime(&time, begin, end);
        if (i >= 2)
            all.push_back(time);
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

struct Matrices {
    char *in, *out;
    int rows, sms, times;
};

struct Best {
    float time = 1e30f;
    int stages = 0, blocks = 0;
};

template <int HALF>
void try_ring(const Matrices& all, const Shape& shape, Best& best) {
    const int shared = 2 * HALF * shape.width * shape.height * 4,
              tiles = all.rows / shape.height * (EDGE / shape.width);
    const CUtensorMap in = map_of(all.in, all.rows, shape), out = map_of(all.out, all.rows, shape);
    for (const int blocks : {1, 2, 4}) {
        if (blocks * shared > 200 << 10)
            break;
        check(cudaFuncSetAttribute(move<HALF>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared) == cudaSuccess,
              "cudaFuncSetAttribute");
        const float time =
            median(all.times, [&] { move<HALF><<<blocks * all.sms, 1, shared>>>(in, out, shape, tiles); });
        if (time < best.time)
            best = {time, 2 * HALF, blocks};
    }
}

int main(int count, char** words) {
    const bool quick = count > 1 && std::strcmp(words[1], "--quick") == 0;
    Matrices all{nullptr, nullptr, quick ? EDGE : EDGE << 8, 0, quick ? 1 : 11};
    const size_t bytes = size_t(all.rows) * EDGE * 4;
    cudaDeviceGetAttribute(&all.sms, cudaDevAttrMultiProcessorCount, 0);
    check(cudaMalloc(&all.in, bytes) == cudaSuccess && cudaMalloc(&all.out, bytes) == cudaSuccess, "cudaMalloc");
    check(cudaMemset(all.in, 1, bytes) == cudaSuccess, "cudaMemset");
    const float copy = median(all.times, [&] { cudaMemcpyAsync(all.out, all.in, bytes, cudaMemcpyDeviceToDevice); });
    std::printf("the GPU's own copy: %.0f GB/s, read and written\n", 2 * double(bytes) / copy / 1e6);
    const std::vector<Shape> shapes =
        quick ? std::vector<Shape>{{32, 32, true, false}}
              : std::vector<Shape>{{32, 32, false, false},  {32, 32, false, true},  {64, 32, false, false},
                                   {64, 32, false, true},   {64, 64, false, false}, {64, 64, false, true},
                                   {128, 32, false, false}, {128, 32, false, true}, {32, 32, true, false},
                                   {32, 32, true, true},    {64, 64, true, false},  {64, 64, true, true}};
    for (const Shape& shape : shapes) {
        Best best;
        try_ring<2>(all, shape, best);
        try_ring<4>(all, shape, best);
        try_ring<8>(all, shape, best);
        std::printf(
            "tiles of %3d x %2d words, rows of %3d bytes, %-16s %-8s  %.2f of the copy (%d stages, %d blocks on "
            "each SM)\n",
            shape.width, shape.height, 4 * shape.width, shape.transposed ? "transposed," : "not transposed,",
            shape.turns ? "in turns" : "in runs", copy / best.time, best.stages, best.blocks);
    }
}
