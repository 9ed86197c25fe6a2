// Nothing has written the fourth number, and the sum takes all of them.
// says: of which nothing has written bytes 12 to 15
__device__ __align__(16) float in[128], out[32];

__global__ void sums() {
    __shared__ __align__(16) float tile[128];
    const int i = threadIdx.x;
    for (int k = 0; k < 3; ++k)
        tile[4 * i + k] = in[4 * i + k];
    __syncthreads();
    const float4 row = reinterpret_cast<float4*>(tile)[3 - i]; // error: uninitialised-read
    out[i] = row.x + row.y + row.z + row.w;
}

int main() {
    sums<<<1, 4>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/three_elements_of_a_vector
The sum leaves the fourth number out.

-    out[i] = row.x + row.y + row.z + row.w;
+    out[i] = row.x + row.y + row.z;

== clean/vector_copied_as_a_whole
Copies do not use what they copy.

-    out[i] = row.x + row.y + row.z + row.w;
+    reinterpret_cast<float4*>(in)[i] = row;

== wrong/short_of_a_vector_missing
Four numbers of 16 bits.
says: of which nothing has written bytes 6 to 7

-    __shared__ __align__(16) float tile[128];
+    __shared__ __align__(8) short tile[128];

-    const float4 row = reinterpret_cast<float4*>(tile)[3 - i];
-    out[i] = row.x + row.y + row.z + row.w;
+    const short4 row = reinterpret_cast<short4*>(tile)[3 - i]; // error: uninitialised-read
+    out[i] = row.x + row.y + row.z + row.w;

== clean/three_shorts_of_a_vector
Three numbers of 16 bits.

-    __shared__ __align__(16) float tile[128];
+    __shared__ __align__(8) short tile[128];

-    const float4 row = reinterpret_cast<float4*>(tile)[3 - i];
-    out[i] = row.x + row.y + row.z + row.w;
+    const short4 row = reinterpret_cast<short4*>(tile)[3 - i];
+    out[i] = row.x + row.y + row.z;

== wrong/half_of_a_double_missing
A double of which one half is written.
says: of which nothing has written bytes 4 to 7

-    for (int k = 0; k < 3; ++k)
-        tile[4 * i + k] = in[4 * i + k];
+    tile[4 * i] = in[4 * i];

-    const float4 row = reinterpret_cast<float4*>(tile)[3 - i];
-    out[i] = row.x + row.y + row.z + row.w;
+    const double number = reinterpret_cast<double*>(tile)[2 * (3 - i)]; // error: uninitialised-read
+    out[i] = float(number + 1);
*/
