// What errors are called by the driver: the codes are the runtime's, and nearly all names follow from its names.
#include <cctype>
#include <map>
#include <mutex>
#include <string>

#include "sim/cuda/program/driver/driver.h"

using namespace sim::cuda;

namespace {

constexpr struct {
    CUresult code;
    const char* name;
} others[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {CUDA_ERROR_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
};

// "cudaErrorInvalidPtx": CUDA_ERROR_INVALID_PTX.
std::string name_of(CUresult code) {
    for (const auto& other : others)
        if (other.code == code)
            return other.name;
    const std::string_view runtimes = cudaGetErrorName(static_cast<cudaError_t>(code));
    constexpr std::string_view prefix = "cudaError";
    std::string name;
    if (runtimes.starts_with(prefix))
        for (const char c : runtimes.substr(prefix.size())) {
            name += std::isupper(static_cast<unsigned char>(c)) ? "_" : "";
            name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
    return name.empty() ? name : "CUDA_ERROR" + name;
}

} // namespace

ASYNCLAB_API CUresult cuGetErrorName(CUresult code, const char** text) {
    static auto& names = *new std::map<CUresult, std::string>; // programs may ask in their own destructors
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const std::string& name = names.try_emplace(code, name_of(code)).first->second;
    *text = name.empty() ? nullptr : name.c_str();
    return name.empty() ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuGetErrorString(CUresult code, const char** text) {
    *text = cudaGetErrorString(static_cast<cudaError_t>(code));
    return CUDA_SUCCESS;
}
