// Which copies the values in a warp's registers depend on. The lanes of a warp share the origin of a register, so that
// following an instruction costs as much as following one lane: an origin may be too large, but misses no copy that
// reaches a value through operands, conditions and addresses.
#pragma once

#include <unordered_map>
#include <vector>

#include "sim/machine/exec.h"
#include "sim/provenance/origins.h"

namespace sim::provenance {

class Registers {
  public:
    /// Before `op` executes for x.mask: its results get the origins of its operands.
    void step(machine::Exec& x, const machine::Op& op, Origins&);
    /// What the executing instruction stores.
    Origin stored(machine::Exec& x, Origins&);
    /// The executing instruction has loaded a value of this origin.
    void loaded(machine::Exec& x, Origin, Origins&);
    /// A matrix instruction of several warps, which this one has reached, multiplies operands in shared memory.
    void multiplied(const machine::Fragment&, Origin, Origins&);

  private:
    /// Instructions between a forward branch and where its ways meet: what they write depends on its condition.
    struct Region {
        uint32_t begin = 0, end = 0;
        Origin condition = 0;
    };
    struct Activation {
        const machine::DecodedFunction* function = nullptr;
        std::vector<Origin> registers; ///< by the words of the frame
        Origin passed = 0;             ///< through parameters, to functions and back
        std::vector<Region> regions;   ///< of branches whose conditions depend on copies
    };
    Activation& of(const machine::Frame*);
    static Origin& at(Activation&, machine::OperandRef);
    static Origin read(Activation&, machine::OperandRef);
    static Origin condition(const Activation&, uint32_t pc, Origins&);
    void branch(Activation&, machine::Exec&, const machine::Op&, Origins&);
    Origin operands(Activation&, machine::Exec&, const machine::Op&, Origins&);
    Origin through_memory(Activation&, machine::Exec&, const machine::Op&, Origin value, Origins&);

    std::unordered_map<const machine::Frame*, Activation> activations_;
    const machine::Frame* last_frame_ = nullptr;
    Activation* last_ = nullptr;
    Origin local_ = 0; ///< of local memory
};

} // namespace sim::provenance
