// A stand-in for NVIDIA's libcuda.so.1 on the host: memory is the host's, work is done at once, kernels do nothing.
// It checks no more than the driver would, so an argument that RealGpu does not check crashes the test.
#include <atomic>
#include <cstring>
#include <string_view>
#include <thread>

#include <cuda.h>
#include <sys/mman.h>

#define FAKE extern "C" __attribute__((visibility("default"))) CUresult

namespace {

constexpr size_t granularity = 2 << 20;
std::atomic<int> pending{0}; // host functions that run
char something;              // what handles point to
uint32_t counter;            // the module's variable

template <typename Handle>
CUresult give(Handle* to) {
    *to = reinterpret_cast<Handle>(&something);
    return CUDA_SUCCESS;
}
template <typename Value>
CUresult set(CUdeviceptr to, Value value, size_t count) {
    for (size_t i = 0; i < count; ++i)
        reinterpret_cast<Value*>(to)[i] = value;
    return CUDA_SUCCESS;
}
CUresult copy(void* to, const void* from, size_t bytes) {
    std::memmove(to, from, bytes);
    return CUDA_SUCCESS;
}
template <typename Integer>
void* at(Integer address) {
    return reinterpret_cast<void*>(address);
}
CUresult state() {
    return pending ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

} // namespace

// --- The device ---

FAKE cuInit(unsigned) {
    return CUDA_SUCCESS;
}
FAKE cuDriverGetVersion(int* version) {
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}
FAKE cuGetErrorName(CUresult, const char** name) {
    *name = "CUDA_ERROR_FAKE";
    return CUDA_SUCCESS;
}
FAKE cuGetErrorString(CUresult, const char** text) {
    *text = "the stand-in says so";
    return CUDA_SUCCESS;
}
FAKE cuDeviceGet(CUdevice* device, int) {
    *device = 0;
    return CUDA_SUCCESS;
}
FAKE cuDeviceGetCount(int* count) {
    *count = 1;
    return CUDA_SUCCESS;
}
FAKE cuDeviceGetName(char* name, int bytes, CUdevice) {
    std::strncpy(name, "stand-in", static_cast<size_t>(bytes));
    return CUDA_SUCCESS;
}
FAKE cuDeviceGetAttribute(int* value, CUdevice_attribute, CUdevice) {
    *value = 64;
    return CUDA_SUCCESS;
}
FAKE cuDeviceTotalMem(size_t* bytes, CUdevice) {
    *bytes = size_t{1} << 30;
    return CUDA_SUCCESS;
}
FAKE cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
    return give(context);
}
FAKE cuCtxSetCurrent(CUcontext) {
    return CUDA_SUCCESS;
}

// --- Memory ---

FAKE cuMemGetInfo(size_t* free, size_t* total) {
    *free = *total = size_t{1} << 30;
    return CUDA_SUCCESS;
}
FAKE cuMemAddressReserve(CUdeviceptr* base, size_t bytes, size_t, CUdeviceptr wanted, unsigned long long) {
    void* const got = mmap(at(wanted), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *base = reinterpret_cast<CUdeviceptr>(got);
    return got == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
FAKE cuMemAddressFree(CUdeviceptr base, size_t bytes) {
    munmap(at(base), bytes);
    return CUDA_SUCCESS;
}
FAKE cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
    *bytes = granularity;
    return CUDA_SUCCESS;
}
FAKE cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp*, unsigned long long) {
    *handle = 1;
    return bytes > (size_t{1} << 30) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
FAKE cuMemMap(CUdeviceptr address, size_t bytes, size_t, CUmemGenericAllocationHandle, unsigned long long) {
    return mprotect(at(address), bytes, PROT_READ | PROT_WRITE) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
FAKE cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) {
    return CUDA_SUCCESS;
}
FAKE cuMemUnmap(CUdeviceptr address, size_t bytes) {
    madvise(at(address), bytes, MADV_DONTNEED);
    return mprotect(at(address), bytes, PROT_NONE) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
FAKE cuMemRelease(CUmemGenericAllocationHandle) {
    return CUDA_SUCCESS;
}
FAKE cuMemHostRegister(void*, size_t, unsigned) {
    return CUDA_SUCCESS;
}
FAKE cuMemHostUnregister(void*) {
    return CUDA_SUCCESS;
}
FAKE cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
    return copy(at(to), at(from), bytes);
}
FAKE cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    return copy(to, at(from), bytes);
}
FAKE cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    return copy(at(to), from, bytes);
}
FAKE cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
    return set(to, value, count);
}
FAKE cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream) {
    return set(to, value, count);
}
FAKE cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream) {
    return set(to, value, count);
}
FAKE cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream) {
    return set(to, value, count);
}

// --- Modules and kernels ---

FAKE cuModuleLoadDataEx(CUmodule* module, const void* text, unsigned, CUjit_option*, void**) {
    const bool ptx = std::string_view(static_cast<const char*>(text)).find(".version") != std::string_view::npos;
    return ptx ? give(module) : CUDA_ERROR_INVALID_PTX;
}
FAKE cuModuleUnload(CUmodule) {
    return CUDA_SUCCESS;
}
FAKE cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
    return std::string_view(name) == "add_one" ? give(function) : CUDA_ERROR_NOT_FOUND;
}
FAKE cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule, const char* name) {
    *address = reinterpret_cast<CUdeviceptr>(&counter);
    *bytes = sizeof counter;
    return std::string_view(name) == "counter" ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
FAKE cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction) {
    *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
    return CUDA_SUCCESS;
}
FAKE cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
    return CUDA_SUCCESS;
}
FAKE cuFuncGetParamInfo(CUfunction, size_t index, size_t* offset, size_t* bytes) {
    *offset = 8 * index;
    *bytes = index ? 4 : 8;
    return index < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
FAKE cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void**, void**) {
    return CUDA_SUCCESS;
}
FAKE cuLaunchHostFunc(CUstream, CUhostFn function, void* data) {
    ++pending;
    std::thread([=] {
        function(data);
        --pending;
    }).detach();
    return CUDA_SUCCESS;
}

// --- Streams and events ---

FAKE cuStreamCreateWithPriority(CUstream* stream, unsigned, int) {
    return give(stream);
}
FAKE cuStreamDestroy(CUstream) {
    return CUDA_SUCCESS;
}
FAKE cuStreamQuery(CUstream) {
    return state();
}
FAKE cuStreamWaitEvent(CUstream, CUevent, unsigned) {
    return CUDA_SUCCESS;
}
FAKE cuEventCreate(CUevent* event, unsigned) {
    return give(event);
}
FAKE cuEventDestroy(CUevent) {
    return CUDA_SUCCESS;
}
FAKE cuEventRecord(CUevent, CUstream) {
    return CUDA_SUCCESS;
}
FAKE cuEventQuery(CUevent) {
    return state();
}
FAKE cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
    *milliseconds = 1;
    return CUDA_SUCCESS;
}

// --- Tensor maps ---

FAKE cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    std::memset(map, 1, sizeof *map);
    return CUDA_SUCCESS;
}
FAKE cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                             const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t, const cuuint32_t*,
                             CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                             CUtensorMapFloatOOBfill) {
    std::memset(map, 2, sizeof *map);
    return CUDA_SUCCESS;
}
FAKE cuTensorMapReplaceAddress(CUtensorMap*, void*) {
    return CUDA_SUCCESS;
}
