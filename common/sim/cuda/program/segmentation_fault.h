// What is printed before the program ends because the host touches memory that it cannot reach. For signal handlers.
#pragma once

#include "sim/cuda/program/host_watch.h"

namespace sim::cuda {

/// `code`: the instruction.
void explain_device_pointer(uint64_t address, const void* code, HostWatch::Lookup lookup);
void explain_freed_memory();

} // namespace sim::cuda
