// The simulated device, put together: the machine with its asynchronous units, its instructions, and the hazard detector that
// listens to it.
#pragma once

#include <memory>
#include <optional>

#include "sim/detector/detector.h"
#include "sim/events/fanout.h"
#include "sim/machine/gpu.h"

namespace sim {

class Device : public machine::Gpu {
  public:
    explicit Device(machine::Options options);

    hazards::Reporter& reporter() { return detector_.reporter(); } ///< findings so far
    /// For checkers: was every byte of the range last written by a kernel launch with operation id >= `since`?
    bool written_by_kernel(uint64_t address, uint64_t bytes, machine::OperationId since);
    /// What the program's own side saw of its host memory; the places are where the program was.
    void report(const hazards::HostMisuse& misuse, hazards::Place first, std::optional<hazards::Place> second) {
        detector_.report(misuse, std::move(first), std::move(second));
    }

  private:
    hazards::Detector detector_;
    std::unique_ptr<events::Listener> also_; ///< Options::listener
    std::unique_ptr<events::Fanout> both_;
};

} // namespace sim
