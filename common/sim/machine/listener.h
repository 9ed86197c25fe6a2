// The observer of a whole device: what hazards/ provides to Gpu.
#pragma once

#include <functional>
#include <memory>

#include "sim/machine/observer.h"
#include "sim/memory/global_memory.h"

namespace sim::machine {

struct DecodedFunction;

class Listener : public Observer {
  public:
    virtual hazards::Reporter& reporter() = 0;
    virtual void set_schedule(const Schedule&) = 0;
    virtual bool written_by_kernel(memory::Allocation&, uint64_t address, uint64_t bytes, OperationId since) = 0;
};

/// `function_at` finds the decoded function that holds a device-wide pc. Defined by hazards/.
std::unique_ptr<Listener> make_listener(memory::GlobalMemory&, std::function<DecodedFunction*(uint32_t)> function_at);

} // namespace sim::machine
