#include <vector>
// The right answer, computed on the host.
static void host_computes(const float* in, float* out, int n) {
    std::vector<float> a(n), b(n);
    cudaMemcpy(a.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        for (int d = -3; d <= 3; ++d)
            if (0 <= i + d && i + d < n)
                b[i] += float(d + 4) * a[i + d];
    cudaMemcpy(out, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
