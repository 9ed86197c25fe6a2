// With a src-size of 4 the source is read.
// says: thread 60 of block 0 reads 4 bytes at in[60], just beyond the end of in (240 bytes)
__device__ int in[60], out[64];

__global__ void copy() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[i]));
    const int bytes = 4;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + i), "r"(bytes) : "memory");
    // error: out-of-bounds
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[i] = tile[i];
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/source_size
src-size equal to the size of the copy; and zeros where there is no source, whose address may then be anything.

-    const int bytes = 4;
+    const int bytes = i < 60 ? 4 : 0;
*/
