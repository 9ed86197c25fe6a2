// A function on the device whose address is a number.
__global__ void anything(float* out) {
    auto* function = reinterpret_cast<float (*)(float)>(reinterpret_cast<unsigned long>(out) + 12345);
    out[0] = function(1);
}
static void calls_anything(const float* in, float* out, int n) {
    anything<<<1, 1, 0, given>>>(out);
    cudaDeviceSynchronize();
}
