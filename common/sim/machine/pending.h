// Report on use. A load that races or reads uninitialised bytes may be speculation by the compiler, so its report waits
// until the value has an effect. Pending remembers which register lanes hold such values and follows them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/machine/op.h"
#include "sim/machine/partial.h"

namespace sim::machine {

struct DecodedFunction;
struct Frame;

class Pending {
  public:
    bool empty() const { return values_.empty() && partial_.empty(); }
    /// Is there something to do before each instruction?
    bool watches() const { return watches_; }
    /// The listener wants to see each instruction.
    void announce() { watches_ = announces_ = true; }
    bool announces() const { return announces_; }
    /// Lanes `mask` of `reg` in `frame` now hold a value loaded under report `report[lane]` (0: none).
    void mark(const Frame* frame, OperandRef reg, uint32_t mask, const std::array<uint32_t, 32>& report);
    /// The same for values of which only some bytes matter: if those are used that nothing has written.
    void mark_partial(const Frame* frame, OperandRef reg, uint32_t mask, const std::array<uint32_t, 32>& report,
                      const std::array<Bytes, 32>& missing);
    /// Called before `op` executes for `mask`. Returns the reports that must now be made (without repeats) when the op
    /// uses pending values with effect; otherwise moves the marks from sources to destinations.
    void step(const Frame* frame, const Op& op, const std::vector<OperandRef>& reads,
              const std::vector<OperandRef>& writes, uint32_t mask, uint32_t select_mask, std::vector<uint32_t>& due);
    bool has_partial() const { return !partial_.empty(); }
    /// Called after step(), for values marked by mark_partial(). Adds to `due`, too.
    void step_partial(const Frame* frame, const DecodedFunction& function, const Op& op,
                      const std::vector<OperandRef>& writes, uint32_t mask, uint32_t select_mask,
                      std::vector<uint32_t>& due);
    /// A shuffle has executed for `mask`: lane i of `to` now holds what lane from[i] of `value` held. `writes`: all
    /// registers that it has written.
    void exchange(const Frame* frame, OperandRef value, OperandRef to, const std::vector<OperandRef>& writes,
                  uint32_t mask, const uint32_t* from);
    void forget(const Frame* frame); ///< the frame is gone

  private:
    struct Value {
        const Frame* frame;
        OperandRef reg;
        uint32_t mask;
        std::array<uint32_t, 32> report;
    };
    struct Partial : Value {
        std::array<Bytes, 32> missing;
        uint32_t computed; ///< lanes whose missing bytes are no copies
    };
    class PartialStep;
    Value* find(const Frame* frame, OperandRef reg);
    void drop(const std::vector<uint32_t>& reports);
    void clear(const Frame* frame, OperandRef reg, uint32_t mask);
    void changed() { watches_ = announces_ || !empty(); }
    std::vector<Value> values_;
    std::vector<Partial> partial_;
    bool watches_ = false, announces_ = false;
};

} // namespace sim::machine
