// Hints about managed memory, for declarations of CUDA 12 and CUDA 13.
#pragma once

#include <cstddef>

namespace sim::cuda {

/// cudaMemLocation: its type (cudaMemLocationType) and the number of the device.
struct MemoryPlace {
    int type, id;
};
/// That of a device number of CUDA 12, which is -1 (cudaCpuDeviceId) for the host.
constexpr MemoryPlace place_of_device(int device) {
    return device == -1 ? MemoryPlace{2, 0} : MemoryPlace{1, device};
}

int prefetch_managed(const void* memory, size_t bytes, MemoryPlace to, unsigned flags, void* stream, bool per_thread);
int advise_managed(const void* memory, size_t bytes, int advice, MemoryPlace about);

} // namespace sim::cuda
