// The simulated device, put together: the machine with its asynchronous units, its instructions, and the hazard
// detector that listens to it.
#pragma once

#include <memory>
#include <optional>

#include "sim/events/host_misuse.h"
#include "sim/machine/gpu.h"
#include "sim/report/finding.h"

namespace sim {

class Device : public machine::Gpu {
  public:
    explicit Device(machine::Options options);
    ~Device();

    hazards::Reporter& reporter(); ///< findings so far
    /// For checkers: was every byte of the range last written by a kernel launch with operation id >= `since`?
    bool written_by_kernel(uint64_t address, uint64_t bytes, machine::OperationId since);
    /// What the program's own side saw of its host memory; the places are where the program was.
    void report(events::HostMisuse misuse, std::string message, hazards::Place first,
                std::optional<hazards::Place> second);

  private:
    struct Listeners;
    std::unique_ptr<Listeners> listeners_;
};

} // namespace sim
