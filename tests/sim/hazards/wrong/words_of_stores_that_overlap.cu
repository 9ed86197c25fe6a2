// Stores of two words and of one write the same word, with different values.
__device__ int2 pairs[2];

__global__ void store() {
    if (threadIdx.x == 0)
        pairs[0] = make_int2(1, 7); // error: write-after-write-race
    else
        pairs[0].y = 8; // other
}

int main() {
    store<<<1, 2>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/words_of_stores_that_overlap_agree
The word that both write gets the same value: a note.
expect: same-value-write

-        pairs[0].y = 8;
+        pairs[0].y = 7;
*/
