// A bf16 matrix product on tensor cores: cp.async in two stages, ldmatrix, mma.sync.
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>
#include <vector>

constexpr int size = 128, tile = 64, depth = 32, stages = 2; // c = a * transpose of b; 4 warps, 32 x 32 of c each

__device__ uint32_t at(const void* shared) {
    return uint32_t(__cvta_generic_to_shared(shared));
}
/// The chunk of 16 bytes of a row of 64, exchanged so that ldmatrix meets no bank twice.
__device__ int swizzled(int row, int chunk) {
    return row * depth + (chunk ^ (row >> 1 & 3)) * 8;
}

__device__ void fill(__nv_bfloat16* to, const __nv_bfloat16* from, int k) {
    for (int i = threadIdx.x; i < tile * depth / 8; i += 128) {
        const int row = i / 4, chunk = i % 4;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(to + swizzled(row, chunk))),
                     "l"(from + row * size + k + chunk * 8)
                     : "memory");
    }
}

__device__ void load_four(uint32_t* r, const __nv_bfloat16* from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at(from))
                 : "memory");
}

__global__ void gemm(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
    __shared__ alignas(128) __nv_bfloat16 as[stages][tile * depth], bs[stages][tile * depth];
    const int lane = threadIdx.x % 32, m = threadIdx.x / 64 * 32, n = threadIdx.x / 32 % 2 * 32;
    a += blockIdx.y * tile * size;
    b += blockIdx.x * tile * size;
    float d[2][4][4] = {};
    for (int s = 0; s < stages - 1; ++s) {
        fill(as[s], a, s * depth);
        fill(bs[s], b, s * depth);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int step = 0; step < size / depth; ++step) {
        const int s = step % stages, next = step + stages - 1;
        asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
        __syncthreads(); // the copies are there, and the stage before has been read
        if (next < size / depth) {
            fill(as[next % stages], a, next * depth);
            fill(bs[next % stages], b, next * depth);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        for (int k = 0; k < depth / 16; ++k) {
            uint32_t x[2][4], y[2][4];
            for (int i = 0; i < 2; ++i)
                load_four(x[i], as[s] + swizzled(m + 16 * i + lane % 16, 2 * k + lane / 16));
            for (int j = 0; j < 2; ++j)
                load_four(y[j], bs[s] + swizzled(n + 16 * j + lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2));
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
                                 : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j / 2][j % 2 * 2]),
                                   "r"(y[j / 2][j % 2 * 2 + 1]));
        }
    }
    c += (blockIdx.y * tile + m + lane / 4) * size + blockIdx.x * tile + n + lane % 4 * 2;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            for (int e = 0; e < 4; ++e)
                c[(16 * i + e / 2 * 8) * size + 8 * j + e % 2] = d[i][j][e];
}

int main() {
    std::vector<__nv_bfloat16> a(size * size), b(size * size);
    std::vector<float> c(size * size);
    for (int i = 0; i < size * size; ++i) {
        a[i] = __float2bfloat16(float(i * 7 % 13 - 6));
        b[i] = __float2bfloat16(float(i * 5 % 11 - 5));
    }
    __nv_bfloat16 *da, *db;
    float* dc;
    cudaMalloc(&da, a.size() * 2);
    cudaMalloc(&db, b.size() * 2);
    cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
    gemm<<<dim3(size / tile, size / tile), 128>>>(da, db, dc);
    cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int m = 0; m < size; ++m)
        for (int n = 0; n < size; ++n) {
            float sum = 0;
            for (int k = 0; k < size; ++k)
                sum += float((m * size + k) * 7 % 13 - 6) * float((n * size + k) * 5 % 11 - 5);
            bad += c[m * size + n] != sum;
        }
    std::printf("bad %d\n", bad);
    return bad != 0 || cudaDeviceSynchronize();
}
