#include "sim/cuda/program/driver/entry_points.h"

// Only the addresses are needed, so the parameters are left out and cuda.h is not included.
#define ASYNCLAB_DRIVER(name) extern "C" __attribute__((visibility("default"))) void name();
#include "sim/cuda/program/driver/entry_points.inc"
#undef ASYNCLAB_DRIVER

namespace sim::cuda {

std::span<const DriverFunction> driver_functions() {
    static const DriverFunction all[] = {
#define ASYNCLAB_DRIVER(name) {#name, reinterpret_cast<void*>(&name)},
#include "sim/cuda/program/driver/entry_points.inc"
#undef ASYNCLAB_DRIVER
    };
    return all;
}

namespace {

constexpr int context_parameters = 12050; // since when cuCtxCreate takes CUctxCreateParams

/// "cuMemAlloc" of "cuMemAlloc_v2".
std::string_view plain(std::string_view name) {
    return name.size() > 3 && name.substr(name.size() - 3, 2) == "_v" ? name.substr(0, name.size() - 3) : name;
}

} // namespace

void* driver_function(std::string_view name, int version) {
    const DriverFunction* found = nullptr;
    for (const DriverFunction& function : driver_functions()) {
        if (name == function.name)
            found = found && found->name > name ? found : &function;
        else if (name == plain(function.name) && (!found || found->name < function.name) &&
                 (function.name != "cuCtxCreate_v4" || version >= context_parameters))
            found = &function;
    }
    return found ? found->address : nullptr;
}

} // namespace sim::cuda
