#include <cstdio>
#include <cuda.h>

int main() {
    void* matrix;
    cudaMalloc(&matrix, 512 * 64);
    CUtensorMap map;
    const cuuint64_t size[] = {512, 64}, stride[] = {512};
    const cuuint32_t box[] = {BOX, 8}, step[] = {1, 1};
    const CUresult result = cuTensorMapEncodeTiled(
        &map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, matrix, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    std::printf("answer: %d\n", result);
}
