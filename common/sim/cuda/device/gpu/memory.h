// Device memory where the program's CUDA runtime expects it: from device_base on.
#pragma once

#include <cstdint>
#include <map>

#include "sim/cuda/device/gpu/driver.h"

namespace sim::cuda::gpu {

class Memory {
  public:
    explicit Memory(CUdevice device);
    ~Memory();
    Memory(const Memory&) = delete;

    /// Unmapped memory follows each allocation. 0: none is left.
    uint64_t allocate(uint64_t bytes);
    bool release(uint64_t address); ///< the GPU must be idle
    /// Is [address, + bytes) inside one allocation?
    bool inside(uint64_t address, uint64_t bytes) const;
    void add(uint64_t address, uint64_t bytes); ///< a module's variable: memory that is not ours to release

  private:
    struct Block {
        uint64_t bytes = 0, mapped = 0;
        CUmemGenericAllocationHandle handle = 0;
    };
    CUdevice device_;
    uint64_t granularity_ = 0, base_ = 0, next_ = 0;
    std::map<uint64_t, Block> blocks_;
};

} // namespace sim::cuda::gpu
