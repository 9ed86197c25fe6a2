// Addresses and sizes that wrap around.
static void copies_to_anywhere(const float* in, float* out, int n) {
    char block[64] = {};
    for (const unsigned long address : {0ul, 1ul, 8ul, 1ul << 12, 1ul << 32, 1ul << 47, 1ul << 63, ~0ul, ~63ul})
        for (const unsigned long bytes : {0ul, 1ul, 64ul, 1ul << 40, ~0ul})
            for (const auto kind : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToDevice, cudaMemcpyDefault})
                cudaMemcpy(reinterpret_cast<void*>(address), kind == cudaMemcpyDeviceToDevice ? static_cast<const void*>(in) : block, bytes, kind);
    cudaMemcpy(out, in + n, ~0ul - 15, cudaMemcpyDeviceToDevice);
}
