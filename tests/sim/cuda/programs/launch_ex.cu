// cudaLaunchKernelEx with clusters and cooperative launches; driver entry points.
// any-finding: it looks at each error, so these are warnings
#include <cuda.h>

#include "check.h"

__global__ void ranks(int* out) {
    int rank, size;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    if (threadIdx.x == 0)
        out[blockIdx.x] = 100 * size + rank;
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int* out) {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        out[blockIdx.x] = rank;
}

int main() {
    int *device, host[8];
    OK(cudaMalloc(&device, 32));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, ranks, device));
    OK(cudaMemcpy(host, device, 32, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 400 && host[7] == 403);
    config.gridDim = 6; // no multiple of 4
    CHECK(cudaLaunchKernelEx(&config, ranks, device) == cudaErrorInvalidClusterSize);
    attribute.val.clusterDim.x = 16;
    config.gridDim = 16;
    CHECK(cudaLaunchKernelEx(&config, ranks, device) == cudaErrorInvalidClusterSize);
    cudaGetLastError();
    pairs<<<8, 32>>>(device);
    OK(cudaMemcpy(host, device, 32, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 0 && host[7] == 1);
    int* pointer = device;
    void* arguments[] = {&pointer};
    OK(cudaLaunchCooperativeKernel(ranks, dim3(8), dim3(32), arguments));
    OK(cudaMemcpy(host, device, 32, cudaMemcpyDeviceToHost));
    CHECK(host[7] == 100);

    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSuccess && function);
    using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                                CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    const auto encode = reinterpret_cast<Encode>(function);
    CUtensorMap map;
    const cuuint64_t dim[2] = {64, 64}, stride[1] = {256};
    cuuint32_t box[2] = {32, 8}, step[2] = {1, 1};
    void* tensor;
    OK(cudaMalloc(&tensor, 64 * 256));
    const auto make = [&] {
        return encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, dim, stride, box, step,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    CHECK(make() == CUDA_SUCCESS);
    box[0] = 300; // more than 256
    CHECK(make() == CUDA_ERROR_INVALID_VALUE);
    std::puts("done");
}
