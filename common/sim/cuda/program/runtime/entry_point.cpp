// Driver functions asked for by name.
#include "sim/cuda/program/capture.h"
#include "sim/cuda/program/driver/entry_points.h"
#include "sim/cuda/program/runtime.h"

using namespace sim::cuda;

namespace {

cudaError_t entry_point(const char* api_name, const char* name, void** function,
                        cudaDriverEntryPointQueryResult* status, int version = CUDART_VERSION) {
    return api(api_name, [&] {
        if (!name || !function)
            fail(cudaErrorInvalidValue);
        *function = driver_function(name, version);
        if (status)
            *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
        // With a status to look at, a missing function is no error of the call itself.
        if (!*function)
            fail(status ? cudaSuccess : cudaErrorSymbolNotFound,
                 std::string(name) + " is not available on the simulated device");
    });
}

} // namespace

ASYNCLAB_API cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                                 cudaDriverEntryPointQueryResult* status) {
    return entry_point("cudaGetDriverEntryPoint", name, function, status);
}
ASYNCLAB_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* name, void** function, unsigned long long,
                                                      cudaDriverEntryPointQueryResult* status) {
    return entry_point("cudaGetDriverEntryPoint", name, function, status);
}
ASYNCLAB_API cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                                          unsigned long long, cudaDriverEntryPointQueryResult* status) {
    return entry_point("cudaGetDriverEntryPointByVersion", name, function, status, static_cast<int>(version));
}
ASYNCLAB_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char* name, void** function, unsigned version,
                                                               unsigned long long,
                                                               cudaDriverEntryPointQueryResult* status) {
    return entry_point("cudaGetDriverEntryPointByVersion", name, function, status, static_cast<int>(version));
}

ASYNCLAB_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    if (mode)
        *mode = capture::exchange_mode(*mode);
    return cudaSuccess;
}
