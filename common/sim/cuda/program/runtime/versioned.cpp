#include "sim/cuda/program/runtime/versioned.h"

#include "sim/cuda/program/runtime.h"

namespace sim::cuda {

int with_device(int device, void (*use)(const machine::Properties&, void* to), void* to) {
    return api("cudaGetDeviceProperties", [&] {
        if (device != 0)
            fail(cudaErrorInvalidDevice, "there is one simulated device, number 0");
        if (!to)
            fail(cudaErrorInvalidValue);
        use(Runtime::get().whole_device(), to);
    });
}

int built_version() {
    return CUDART_VERSION;
}

} // namespace sim::cuda
