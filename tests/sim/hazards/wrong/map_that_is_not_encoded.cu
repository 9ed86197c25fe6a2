// The box is wider than the swizzle allows, so there is no map. Nobody looks at the result.
// says: CUDA_ERROR_INVALID_VALUE: boxDim[0] times the element size must not exceed
#include <cuda.h>

int main() {
    float* data;
    cudaMalloc(&data, 64 * 64 * 4);
    CUtensorMap map;
    const cuuint64_t sizes[] = {64, 64}, strides[] = {256};
    const cuuint32_t box[] = {32, 32}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, sizes, strides, box, steps,
                           // error: failed-call
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return 0;
}

/*
== clean/map_that_is_encoded
128 bytes are as wide as this swizzle allows.

-                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
+                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
*/
