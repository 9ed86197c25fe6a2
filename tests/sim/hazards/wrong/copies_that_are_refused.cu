// Copies and fills that are too large, in the wrong direction, of a negative size, or with a pitch that is too small.
// says: cudaMemcpy fails
// says: are the arguments swapped?
// says: the size is -16 as a signed number
// says: table has 16 bytes; the copy ends at byte 20
__device__ int table[4];

int main() {
    int host[64] = {}, *device, first = 3, last = 7;
    cudaMalloc(&device, sizeof host);
    cudaMemset(device, 0, sizeof host);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyHostToDevice);                   // error 1: failed-call
    cudaMemcpy(device, host, sizeof host + 4, cudaMemcpyHostToDevice);               // error 2: failed-call
    cudaMemcpy2D(device, 16, host, 32, 32, 2, cudaMemcpyHostToDevice);               // error 3: failed-call
    cudaMemcpyToSymbol(table, host, 20);                                             // error 4: failed-call
    cudaMemset(device, 0, sizeof host + 1);                                          // error 5: failed-call
    cudaMemcpy(device, host, 16, static_cast<cudaMemcpyKind>(9));                    // error 6: failed-call
    cudaMemcpyAsync(device + 60, device, 5 * sizeof(int), cudaMemcpyDeviceToDevice); // error 7: failed-call
    cudaMemcpy(device, host, (first - last) * sizeof(int), cudaMemcpyHostToDevice);  // error 8: failed-call
    return cudaDeviceSynchronize();
}

/*
== clean/copies_within_their_buffers
The same copies, as they were meant.

-    cudaMemcpy(host, device, sizeof host, cudaMemcpyHostToDevice);
-    cudaMemcpy(device, host, sizeof host + 4, cudaMemcpyHostToDevice);
-    cudaMemcpy2D(device, 16, host, 32, 32, 2, cudaMemcpyHostToDevice);
-    cudaMemcpyToSymbol(table, host, 20);
-    cudaMemset(device, 0, sizeof host + 1);
-    cudaMemcpy(device, host, 16, static_cast<cudaMemcpyKind>(9));
-    cudaMemcpyAsync(device + 60, device, 5 * sizeof(int), cudaMemcpyDeviceToDevice);
-    cudaMemcpy(device, host, (first - last) * sizeof(int), cudaMemcpyHostToDevice);
+    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
+    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
+    cudaMemcpy2D(device, 32, host, 32, 32, 2, cudaMemcpyHostToDevice);
+    cudaMemcpyToSymbol(table, host, 16);
+    cudaMemset(device, 0, sizeof host);
+    cudaMemcpy(device, host, 16, cudaMemcpyDefault);
+    cudaMemcpyAsync(device + 60, device, 4 * sizeof(int), cudaMemcpyDeviceToDevice);
+    cudaMemcpy(device, host, (last - first) * sizeof(int), cudaMemcpyHostToDevice);
*/
