// The threads of a warp store different values: that is an error, and so is the read.
__device__ int found, out[64];

__global__ void flag() {
    if (threadIdx.x < 32)
        found = threadIdx.x / 31;
        // error 1: write-after-write-race, other 1, other 2, note 3: same-value-write, other 3
    else
        out[threadIdx.x] = found; // error 2: read-after-write-race
}

int main() {
    flag<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/same_value_stored_and_read
Every thread of a warp stores the same value, and threads of the other warp read it: the stores are a note, and so is
the read.
expect: same-value-write

-        found = threadIdx.x / 31;
+        found = 1;
*/
