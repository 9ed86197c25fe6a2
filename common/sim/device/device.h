// The simulated device, put together: the machine with its asynchronous units, its instructions, and the hazard
// detector that listens to it.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include "sim/events/host_misuse.h"
#include "sim/machine/gpu.h"
#include "sim/protocol/summary.h"
#include "sim/provenance/provenance.h"
#include "sim/report/finding.h"
#include "sim/report/gap.h"

namespace sim {

class Device : public machine::Gpu {
  public:
    explicit Device(machine::Options options);
    ~Device();

    hazards::Reporter& reporter(); ///< findings so far
    /// The instructions and CUDA functions that were executed exactly, approximately or not.
    machine::Executed executed() const;
    /// Everything that has not been judged, for whatever reason.
    std::vector<hazards::Gap> gaps() const;
    /// What the protocol check has explored, with Options::protocol.
    protocol::Summary protocol() const;
    /// Something that the layer above has not done.
    void refused(machine::Executed::Site place) { refused_.push_back(std::move(place)); }
    void unused(std::string kernel) { unused_.push_back({std::move(kernel), {}, 0}); }
    void launch_refused(std::string kernel) { refused_kernels_.insert(std::move(kernel)); }
    void missed(hazards::Gap gap) { hazards::add_once(missed_, std::move(gap)); }
    /// For checkers: was every byte of the range last written by a kernel launch with operation id >= `since`?
    bool written_by_kernel(uint64_t address, uint64_t bytes, machine::OperationId since);
    /// For checkers: from now on, follow what becomes of the bytes that copies bring from these ranges.
    void follow(provenance::Followed followed);
    /// The tracker that does so; nullptr: nothing is followed.
    provenance::Tracker* followed();
    /// A misuse of host memory that the program's own side saw; the places are those of the program.
    void report(events::HostMisuse misuse, std::string message, hazards::Place first,
                std::optional<hazards::Place> second);

  private:
    struct Listeners;
    std::unique_ptr<Listeners> listeners_;
    std::vector<machine::Executed::Site> refused_;
    std::vector<machine::Executed::Kernel> unused_; ///< of modules that were not loaded
    std::set<std::string> refused_kernels_;
    std::vector<hazards::Gap> missed_;
};

} // namespace sim
