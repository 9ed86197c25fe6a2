// Functions of the CUDA driver that programs can ask the runtime for (cudaGetDriverEntryPoint), or find in the drop-in
// libcuda.so.1.
#pragma once

#include <span>
#include <string_view>

namespace sim::cuda {

struct DriverFunction {
    std::string_view name;
    void* address;
};

/// All of them. To add one: define it in a file of this folder and name it in entry_points.inc.
std::span<const DriverFunction> driver_functions();

/// The function of this name, or its newest form that a program for CUDA `version` (12050) knows: "cuMemAlloc" is
/// cuMemAlloc_v2. nullptr if the simulated device has no such function.
void* driver_function(std::string_view name, int version);

} // namespace sim::cuda
