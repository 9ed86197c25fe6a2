// Which calls of the program the device hears of: each has a number, and its line is looked up only when a finding is
// about it.
#pragma once

#include <cstdint>
#include <span>

#include "sim/cuda/program/session.h"

namespace sim::cuda::call_sites {

/// The number of the CUDA call that this thread is in.
uint32_t here();
/// The number of an instruction that is reached through these calls: its address, then the addresses that they return
/// to, innermost first.
uint32_t of_instruction(std::span<const void* const> frames);
/// Its place in the program's own source, where possible.
CodePlace place(uint32_t number);

/// While it lives, here() is the call `number`; 0: changes nothing.
class Use {
  public:
    explicit Use(uint32_t number);
    ~Use();
    Use(const Use&) = delete;

  private:
    uint32_t before_;
};

} // namespace sim::cuda::call_sites
