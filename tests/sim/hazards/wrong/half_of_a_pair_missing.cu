// Nothing has written the upper half of the pairs, and the sums are stored as a whole.
// says: of which nothing has written bytes 2 to 3
#include <cuda_fp16.h>

__device__ __half in[64];
__device__ __half2 out[32];

__global__ void add() {
    __shared__ __align__(4) __half tile[64];
    const int i = threadIdx.x;
    tile[2 * i] = in[2 * i];
    __syncthreads();
    const __half2 pair = reinterpret_cast<__half2*>(tile)[31 - i]; // error: uninitialised-read
    out[i] = __hadd2(pair, pair);
}

int main() {
    add<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/both_halves_of_a_pair
Both halves are written.

     tile[2 * i] = in[2 * i];
+    tile[2 * i + 1] = in[2 * i + 1];

== clean/sum_of_the_written_halves
The upper half of the sum is not used.

-    out[i] = __hadd2(pair, pair);
+    reinterpret_cast<__half*>(out)[2 * i] = __low2half(__hadd2(pair, pair));

== clean/half_of_a_pair_converted
Only the written half becomes a number.

-    out[i] = __hadd2(pair, pair);
+    reinterpret_cast<float*>(out)[i] = __low2float(pair);

== clean/upper_half_under_a_condition
The upper half is used where it exists.

     tile[2 * i] = in[2 * i];
+    if (i > 0)
+        tile[2 * i + 1] = in[2 * i + 1];

-    out[i] = __hadd2(pair, pair);
+    const float2 both = __half22float2(pair);
+    reinterpret_cast<__half*>(out)[2 * i] = __float2half(both.x);
+    if (i < 31)
+        reinterpret_cast<__half*>(out)[2 * i + 1] = __float2half(both.y);

== clean/pair_copied_as_a_whole
Copies do not use what they copy.

-    out[i] = __hadd2(pair, pair);
+    out[i] = pair;

== wrong/both_halves_converted
The upper half becomes a number, too.

-    const __half2 pair = reinterpret_cast<__half2*>(tile)[31 - i];
-    out[i] = __hadd2(pair, pair);
+    const float2 pair = __half22float2(reinterpret_cast<__half2*>(tile)[31 - i]); // error: uninitialised-read
+    reinterpret_cast<float*>(out)[i] = pair.x + pair.y;
*/
