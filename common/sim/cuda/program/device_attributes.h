// The attributes of the modelled device.
#pragma once

#include <string>

#include "sim/machine/gpu.h"

namespace sim::cuda {

std::string device_name(const machine::Properties& device);
/// Does the value of a device attribute depend on `sm`?
bool names_architecture(int attribute);
/// Value of a device attribute, by its number in cudaDeviceAttr (and CUdevice_attribute, which has the same numbers).
int device_attribute(const machine::Properties& device, int attribute);

} // namespace sim::cuda
