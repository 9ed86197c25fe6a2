// The device behind the program under test, as the checker uses it: the simulated one, or a real GPU (gpu/device.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/cuda/device/shared_memory.h"
#include "sim/cuda/wire/command.h"

namespace check {

class Device {
  public:
    virtual ~Device() = default;

    /// Carries out a request of the program, which may hold anything. Never throws.
    virtual sim::cuda::Reply handle(const sim::cuda::Header& header, std::span<const std::byte> body,
                                    std::span<const std::byte> payload) = 0;
    virtual const sim::cuda::SharedMemory& shared() const = 0;
    /// Runs all that is pending.
    virtual void drain() = 0;

    // The checker's own memory. Throw Failed.
    virtual uint64_t allocate(size_t bytes) = 0; ///< holds 0xDB; 0: none is left
    virtual std::vector<std::byte> read(uint64_t address, size_t bytes) = 0;
    virtual void write(uint64_t address, std::span<const std::byte> contents) = 0;
    /// From here on, the device distinguishes who writes.
    virtual void call_begins() = 0;
    /// Was each byte last written by a kernel, since call_begins()? On a GPU: by no copy or fill since the last launch.
    virtual bool written_by_kernel(uint64_t address, size_t bytes) = 0;
};

} // namespace check
