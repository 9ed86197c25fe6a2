// Errors: the last one, names and texts.
#include <utility>

#include "sim/cuda/program/failed_calls.h"

using namespace sim::cuda;

namespace {

struct ErrorText {
    cudaError_t code;
    const char *name, *text;
};

// The codes and names are CUDA's. Texts that programs are likely to meet are those that a GPU's runtime gives
// (tests/sim/differential/errors.txt), the others ours.
#define ASYNCLAB_ERROR(code, text)                                                                                     \
    { code, #code, text }
constexpr ErrorText errors[] = {
    ASYNCLAB_ERROR(cudaSuccess, "no error"),
    ASYNCLAB_ERROR(cudaErrorInvalidValue, "invalid argument"),
    ASYNCLAB_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    ASYNCLAB_ERROR(cudaErrorInitializationError, "initialization error"),
    ASYNCLAB_ERROR(cudaErrorCudartUnloading, "the CUDA runtime is shutting down"),
    ASYNCLAB_ERROR(cudaErrorInvalidConfiguration, "invalid grid or block size"),
    ASYNCLAB_ERROR(cudaErrorDevicesUnavailable, "no device is available"),
    ASYNCLAB_ERROR(cudaErrorInvalidPitchValue, "invalid pitch"),
    ASYNCLAB_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    ASYNCLAB_ERROR(cudaErrorInvalidHostPointer, "invalid host pointer"),
    ASYNCLAB_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    ASYNCLAB_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ASYNCLAB_ERROR(cudaErrorInsufficientDriver, "the driver is older than the runtime"),
    ASYNCLAB_ERROR(cudaErrorMissingConfiguration, "a kernel launch has no configuration"),
    ASYNCLAB_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ASYNCLAB_ERROR(cudaErrorNoDevice, "no CUDA device"),
    ASYNCLAB_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    ASYNCLAB_ERROR(cudaErrorInvalidKernelImage, "the device code is invalid"),
    ASYNCLAB_ERROR(cudaErrorNoKernelImageForDevice, "no device code for this device"),
    ASYNCLAB_ERROR(cudaErrorInvalidPtx, "the PTX cannot be compiled"),
    ASYNCLAB_ERROR(cudaErrorUnsupportedPtxVersion, "the PTX is of a version that is not supported"),
    ASYNCLAB_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ASYNCLAB_ERROR(cudaErrorIllegalState, "an object is in an illegal state"),
    ASYNCLAB_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    ASYNCLAB_ERROR(cudaErrorNotReady, "not ready: the work has not completed"),
    ASYNCLAB_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ASYNCLAB_ERROR(cudaErrorLaunchOutOfResources, "the launch needs too many resources"),
    ASYNCLAB_ERROR(cudaErrorLaunchTimeout, "the kernel ran for too long and was stopped"),
    ASYNCLAB_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ASYNCLAB_ERROR(cudaErrorPeerAccessNotEnabled, "peer access is not enabled"),
    ASYNCLAB_ERROR(cudaErrorSetOnActiveProcess, "the device is already active"),
    ASYNCLAB_ERROR(cudaErrorAssert, "device-side assert triggered"),
    ASYNCLAB_ERROR(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    ASYNCLAB_ERROR(cudaErrorHostMemoryNotRegistered, "the host memory is not registered"),
    ASYNCLAB_ERROR(cudaErrorHardwareStackError, "device stack error"),
    ASYNCLAB_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    ASYNCLAB_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    ASYNCLAB_ERROR(cudaErrorInvalidAddressSpace, "an address of the wrong address space was used"),
    ASYNCLAB_ERROR(cudaErrorInvalidPc, "invalid program counter"),
    ASYNCLAB_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    ASYNCLAB_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ASYNCLAB_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    ASYNCLAB_ERROR(cudaErrorNotSupported, "operation not supported"),
    ASYNCLAB_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted while a stream is capturing"),
    ASYNCLAB_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ASYNCLAB_ERROR(cudaErrorStreamCaptureMerge, "the operation would merge two capture sequences"),
    ASYNCLAB_ERROR(cudaErrorStreamCaptureUnmatched, "the capture was not begun in this stream"),
    ASYNCLAB_ERROR(cudaErrorStreamCaptureUnjoined, "work of another stream was not joined to the captured stream"),
    ASYNCLAB_ERROR(cudaErrorStreamCaptureIsolation, "a captured operation depends on work that is not captured"),
    ASYNCLAB_ERROR(cudaErrorStreamCaptureImplicit,
                   "the default stream would have to wait for a stream that is captured"),
    ASYNCLAB_ERROR(cudaErrorCapturedEvent, "the event was last recorded in a captured stream"),
    ASYNCLAB_ERROR(cudaErrorStreamCaptureWrongThread,
                   "a capture was ended by another thread than the one that began it"),
    ASYNCLAB_ERROR(cudaErrorGraphExecUpdateFailure, "the graph update was not performed: the graphs differ too much"),
    ASYNCLAB_ERROR(cudaErrorTimeout, "wait operation timed out"),
    ASYNCLAB_ERROR(cudaErrorInvalidClusterSize, "a kernel launch error has occurred due to cluster misconfiguration"),
    ASYNCLAB_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef ASYNCLAB_ERROR

const ErrorText* text_of(cudaError_t code) {
    for (const ErrorText& entry : errors)
        if (entry.code == code)
            return &entry;
    return nullptr;
}

} // namespace

ASYNCLAB_API cudaError_t cudaGetLastError() {
    last_error_read(__builtin_return_address(0));
    return std::exchange(last_error(), cudaSuccess);
}

ASYNCLAB_API cudaError_t cudaPeekAtLastError() {
    last_error_read(__builtin_return_address(0));
    return last_error();
}

ASYNCLAB_API const char* cudaGetErrorName(cudaError_t error) {
    const ErrorText* entry = text_of(error);
    return entry ? entry->name : "unrecognized error code";
}

ASYNCLAB_API const char* cudaGetErrorString(cudaError_t error) {
    const ErrorText* entry = text_of(error);
    return entry ? entry->text : "unrecognized error code";
}
