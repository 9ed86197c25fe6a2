#include "check/gpu/cublas.h"

#include <dlfcn.h>

#include "sim/cuda/device/gpu/driver.h"

namespace check::gpu {

namespace {

// As cublas_v2.h declares them; the values are part of the library's binary interface.
using Handle = struct Context*;
constexpr int transposed = 1, as_it_is = 0, bfloat16 = 14, sums_of_float = 68, any_algorithm = -1;
using Create = int (*)(Handle*);
using Destroy = int (*)(Handle);
using Multiply = int (*)(Handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                         const void* a, int type_a, int stride_a, const void* b, int type_b, int stride_b,
                         const void* beta, void* c, int type_c, int stride_c, int compute_type, int algorithm);

struct Library {
    Create create = nullptr;
    Destroy destroy = nullptr;
    Multiply multiply = nullptr;
    explicit operator bool() const { return create && destroy && multiply; }
};

Library load() {
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
            return {reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2")),
                    reinterpret_cast<Destroy>(dlsym(library, "cublasDestroy_v2")),
                    reinterpret_cast<Multiply>(dlsym(library, "cublasGemmEx"))};
    return {};
}

/// In the library's order, by columns, d is the transpose of b × aᵀ.
int multiply(const Library& library, Handle handle, const Product& one) {
    const float alpha = 1, beta = 0;
    const auto at = [](uint64_t address) { return reinterpret_cast<void*>(address); };
    return library.multiply(handle, transposed, as_it_is, int(one.n), int(one.m), int(one.k), &alpha, at(one.b),
                            bfloat16, int(one.k), at(one.a), bfloat16, int(one.k), &beta, at(one.d), bfloat16,
                            int(one.n), sums_of_float, any_algorithm);
}

} // namespace

std::vector<double> cublas_times(const Product& product, int warm_up, int runs) {
    static const Library library = load();
    Handle handle = nullptr;
    if (!library || library.create(&handle) != 0)
        return {};
    const sim::cuda::gpu::Driver& cu = sim::cuda::gpu::driver();
    std::vector<CUevent> events(size_t(runs) + 1);
    bool good = true;
    for (CUevent& event : events)
        good = good && cu.cuEventCreate(&event, CU_EVENT_DEFAULT) == CUDA_SUCCESS;
    for (int i = 0; good && i < warm_up; ++i)
        good = multiply(library, handle, product) == 0;
    for (size_t i = 0; good && i < events.size(); ++i)
        good = cu.cuEventRecord(events[i], CU_STREAM_LEGACY) == CUDA_SUCCESS &&
               (i + 1 == events.size() || multiply(library, handle, product) == 0);
    std::vector<double> seconds;
    while (good && cu.cuEventQuery(events.back()) == CUDA_ERROR_NOT_READY) {
    }
    for (size_t i = 0; good && i + 1 < events.size(); ++i) {
        float milliseconds = 0;
        if (cu.cuEventElapsedTime(&milliseconds, events[i], events[i + 1]) == CUDA_SUCCESS)
            seconds.push_back(double(milliseconds) * 1e-3);
    }
    for (CUevent event : events)
        if (event)
            cu.cuEventDestroy(event);
    library.destroy(handle);
    return seconds;
}

} // namespace check::gpu
