// A function gets more arguments than it has parameters.
__device__ __noinline__ float takes_one(float x) {
    return x + 1;
}
__device__ void* volatile takes_one_at;
struct Thousand {
    double of[125];
};
__global__ void passes_more(float* out) {
    takes_one_at = reinterpret_cast<void*>(&takes_one);
    Thousand all = {};
    out[0] = reinterpret_cast<float (*)(Thousand, double, Thousand)>(takes_one_at)(all, 2, all);
}
static void calls_with_more(const float* in, float* out, int n) {
    passes_more<<<1, 32, 0, given>>>(out);
    cudaDeviceSynchronize();
}
