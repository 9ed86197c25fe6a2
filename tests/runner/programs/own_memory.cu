// Mistakes that a device must survive to report them, each with its neighbour: the argument names one.
#include <cstdint>
#include <cstdio>
#include <cstring>

struct Large {
    int values[4096];
};

__device__ __noinline__ Large large(int first) {
    Large all;
    for (int i = 0; i < 4096; ++i)
        all.values[i] = first + i;
    return all;
}

__device__ void* volatile function;

__global__ void calls_another_type(int* out, bool fault) {
    function = reinterpret_cast<void*>(&large);
    if (fault)
        out[0] = reinterpret_cast<int (*)(int)>(function)(7);
    else
        out[0] = reinterpret_cast<Large (*)(int)>(function)(7).values[0];
}

__global__ void prints_positions(bool fault) {
    if (fault)
        printf("%2$d %9$llx %40$s|\n", 1, 2);
    else
        printf("%d %x|\n", 1, 2);
}

__device__ uint32_t shared_address(const void* pointer) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__global__ void writes_over_barrier(int* out, bool fault) {
    __shared__ alignas(8) struct {
        int tile[32];
        uint64_t barrier;
    } all;
    const uint32_t barrier = shared_address(&all.barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(barrier) : "memory");
    __syncthreads();
    for (int i = threadIdx.x; i < 32 + fault; i += 32)
        all.tile[i] = i;
    __syncthreads();
    if (threadIdx.x < 2)
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier) : "memory");
    out[threadIdx.x] = all.tile[threadIdx.x];
}

__global__ void copies_for_long(const int* in, volatile int* flag, int* out) {
    __shared__ alignas(16) int tile[128];
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile[4 * threadIdx.x])),
                 "l"(in + 4 * threadIdx.x)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    while (*flag == 0)
        __nanosleep(100);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

void frees_under_copy(int* in, int* out, bool fault) {
    int* pinned = nullptr;
    cudaMallocHost(&pinned, 4);
    volatile int* const flag = pinned;
    *flag = 0;
    cudaStream_t one, other;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    copies_for_long<<<1, 32, 0, one>>>(in, flag, out);
    cudaStreamQuery(one);
    if (fault)
        cudaFreeAsync(in, other);
    cudaStreamSynchronize(other);
    *flag = 1;
    cudaStreamSynchronize(one);
    if (!fault)
        cudaFreeAsync(in, other);
}

void reuses_pinned_memory(int* device, bool fault) {
    int* pinned = nullptr;
    cudaMallocHost(&pinned, 64);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (int i = 0; i < 16; ++i) {
        int* const to = fault ? pinned : pinned + i;
        cudaMemcpyAsync(device + i, &(*to = i), 4, cudaMemcpyHostToDevice, stream);
    }
    cudaStreamSynchronize(stream);
}

int main(int, char** arguments) {
    int *in = nullptr, *out = nullptr;
    cudaMalloc(&in, 512);
    cudaMalloc(&out, 512);
    cudaMemset(in, 1, 512);
    cudaDeviceSynchronize();
    const char* const name = arguments[1];
    const bool fault = !arguments[2];
    if (!std::strcmp(name, "call"))
        calls_another_type<<<1, 1>>>(out, fault);
    else if (!std::strcmp(name, "printf"))
        prints_positions<<<1, 1>>>(fault);
    else if (!std::strcmp(name, "barrier"))
        writes_over_barrier<<<1, 32>>>(out, fault);
    else if (!std::strcmp(name, "free"))
        frees_under_copy(in, out, fault);
    else
        reuses_pinned_memory(in, fault);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
