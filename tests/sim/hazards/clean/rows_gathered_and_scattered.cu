// Compile with --arch compute_100a. Four rows of a matrix are gathered, changed by the threads, and scattered to other
// rows of another one, twice in the same buffer.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <vector>

#include "../../../real/blackwell.h"

constexpr int all = 16, in_row = 32, bytes = 4 * in_row * 4;

__device__ void gather(void* to, const CUtensorMap* map, int first, uint64_t* bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(smem(to)),
                 "l"(map), "r"(0), "r"(first), "r"(first + 4), "r"(first + 8), "r"(first + 12), "r"(smem(bar))
                 : "memory");
}

__device__ void scatter(const CUtensorMap* map, int first, const void* from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
                 "[%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(map),
                 "r"(0), "r"(first + 12), "r"(first + 8), "r"(first + 4), "r"(first), "r"(smem(from))
                 : "memory");
}

__global__ void turn(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
    __shared__ alignas(128) float tile[4 * in_row];
    __shared__ uint64_t loaded;
    if (threadIdx.x == 0) {
        init(&loaded, 1);
        fence_init();
    }
    __syncthreads();
    for (int t = 0; t < 2; ++t) {
        if (threadIdx.x == 0) {
            arrive_expect(&loaded, bytes);
            gather(tile, &in, 2 * blockIdx.x + t, &loaded);
        }
        wait(&loaded, t);
        tile[threadIdx.x] *= 2;
        fence_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            scatter(&out, 2 * blockIdx.x + t, tile);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
    }
}

CUtensorMap map_of(float* matrix) {
    CUtensorMap map;
    const cuuint64_t sizes[2] = {in_row, all}, strides[1] = {in_row * 4};
    const cuuint32_t box[2] = {in_row, 1}, steps[2] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, sizes, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

int main() {
    std::vector<float> in(all * in_row);
    for (int i = 0; i < all * in_row; ++i)
        in[i] = float(i);
    float *from = to_device(in), *to = to_device(std::vector<float>(all * in_row));
    turn<<<2, 4 * in_row>>>(map_of(from), map_of(to));
    return verdict(to, all * in_row, [](int i) {
        const int row = i / in_row, turned = row % 4 + 4 * (3 - row / 4);
        return float(2 * (turned * in_row + i % in_row));
    });
}

/*
== clean/rows_scattered_as_they_were_gathered
Compile with --arch compute_100a. The rows that were gathered are scattered by the thread that has waited for them, and
loaded by the others.

-        tile[threadIdx.x] *= 2;
+        if (tile[threadIdx.x] < 0)
+            __trap();

-        return float(2 * (turned * in_row + i % in_row));
+        return float(turned * in_row + i % in_row);

== wrong/rows_scattered_without_a_fence
Compile with --arch compute_100a. No proxy fence follows the changes.

-            gather(tile, &in, 2 * blockIdx.x + t, &loaded);
+            gather(tile, &in, 2 * blockIdx.x + t, &loaded); // error 2: missing-proxy-fence

-        tile[threadIdx.x] *= 2;
-        fence_async();
+        tile[threadIdx.x] *= 2; // other 1, other 2

-            scatter(&out, 2 * blockIdx.x + t, tile);
+            scatter(&out, 2 * blockIdx.x + t, tile); // error 1: missing-proxy-fence

== wrong/rows_gathered_over_those_that_are_scattered
Compile with --arch compute_100a. Nobody waits until the rows have been read.

-            gather(tile, &in, 2 * blockIdx.x + t, &loaded);
+            gather(tile, &in, 2 * blockIdx.x + t, &loaded); // error: source-modified-in-flight

-            scatter(&out, 2 * blockIdx.x + t, tile);
+            scatter(&out, 2 * blockIdx.x + t, tile); // other
             asm volatile("cp.async.bulk.commit_group;" ::: "memory");
-            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");

     }
+    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
 }
*/
