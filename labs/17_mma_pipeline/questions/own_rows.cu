#include <cstdint>
#include <cuda_pipeline.h>

__global__ void fragments(const uint4* in, uint32_t* out) {
    __shared__ uint4 tile[4][16]; // of each warp: 16 rows of 16 bytes
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane < 16) {
        __pipeline_memcpy_async(&tile[warp][lane], &in[16 * warp + lane], sizeof(uint4));
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    __syncwarp();
    uint32_t r[2];
    const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[warp][lane % 16]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(row)
                 : "memory");
    out[2 * threadIdx.x] = r[0];
    out[2 * threadIdx.x + 1] = r[1];
}

int main() {
    uint4* memory;
    cudaMalloc(&memory, 64 * sizeof(uint4) + 256 * sizeof(uint32_t));
    cudaMemset(memory, 0, 64 * sizeof(uint4));
    fragments<<<1, 128>>>(memory, reinterpret_cast<uint32_t*>(memory + 64));
    cudaDeviceSynchronize();
}
