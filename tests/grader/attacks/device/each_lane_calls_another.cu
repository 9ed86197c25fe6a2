// The lanes of a warp call functions of different types at once.
struct Six {
    long of[6];
};
__device__ __noinline__ int first_kind(int x) {
    return x;
}
__device__ __noinline__ double second_kind(double x, double y) {
    return x * y;
}
__device__ __noinline__ Six third_kind(Six s, int i) {
    s.of[i % 6] = i;
    return s;
}
__device__ void* volatile kinds[3];
__global__ void calls_all_kinds(float* out) {
    kinds[0] = reinterpret_cast<void*>(&first_kind);
    kinds[1] = reinterpret_cast<void*>(&second_kind);
    kinds[2] = reinterpret_cast<void*>(&third_kind);
    out[threadIdx.x] = reinterpret_cast<int (*)(int)>(kinds[threadIdx.x % 3])(threadIdx.x);
}
static void each_lane_calls_another(const float* in, float* out, int n) {
    calls_all_kinds<<<1, 32, 0, given>>>(out);
    cudaDeviceSynchronize();
}
