// Pitches, extents and kinds of copies that do not fit together.
static void copies_in_odd_shapes(const float* in, float* out, int n) {
    char host[4096] = {};
    for (const size_t pitch : {size_t(0), size_t(1), size_t(1) << 40, ~size_t(0), ~size_t(0) / 2})
        for (const size_t rows : {size_t(1), size_t(1) << 40, ~size_t(0)})
            for (const cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault, cudaMemcpyKind(77)}) {
                cudaMemcpy2DAsync(out, pitch, kind == cudaMemcpyDeviceToDevice ? static_cast<const void*>(in) : host, pitch, 16, rows, kind, given);
                cudaMemset2DAsync(out, pitch, 1, 16, rows, given);
            }
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = {host, ~size_t(0), ~size_t(0), ~size_t(0)};
    copy.dstPtr = {out, ~size_t(0), 1, 1};
    copy.extent = {~size_t(0), ~size_t(0), ~size_t(0)};
    cudaMemcpy3D(&copy);
    cudaMemsetAsync(out, 0, ~size_t(0), given);
    cudaMemcpyAsync(out, in, ~size_t(0) - 15, cudaMemcpyDeviceToDevice, given);
    cudaDeviceSynchronize();
}
