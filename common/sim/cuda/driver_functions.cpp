#include "sim/cuda/driver_functions.h"

// Only the addresses are needed, so the parameters are left out and cuda.h is not included.
#define ASYNCLAB_DRIVER(name) extern "C" __attribute__((visibility("default"))) void name();
#include "sim/cuda/driver_functions.inc"
#undef ASYNCLAB_DRIVER

namespace sim::cuda {

std::span<const DriverFunction> driver_functions() {
    static const DriverFunction all[] = {
#define ASYNCLAB_DRIVER(name) {#name, reinterpret_cast<void*>(&name)},
#include "sim/cuda/driver_functions.inc"
#undef ASYNCLAB_DRIVER
    };
    return all;
}

void* driver_function(std::string_view name) {
    for (const DriverFunction& function : driver_functions()) {
        // Programs ask for "cuDeviceTotalMem" and get its newest form.
        std::string_view plain = function.name;
        if (plain.ends_with("_v2"))
            plain.remove_suffix(3);
        if (name == function.name || name == plain)
            return function.address;
    }
    return nullptr;
}

} // namespace sim::cuda
