// Which of two unordered accesses the program means to come first, and what stands near them in its text.
#pragma once

#include <array>
#include <unordered_map>

#include "sim/diagnosis/flow.h"
#include "sim/diagnosis/place.h"

namespace sim::hazards {

class Intent {
  public:
    explicit Intent(const Places& places) : places_(places) {}

    /// Does the program mean the instruction at `first` to come before the one at `second`?
    bool leads(uint32_t first, uint32_t second, Distance distance) const;
    /// Can the instruction at `second` follow the one at `first`, and not the other way round, without a
    /// synchronisation between them?
    bool apart(uint32_t first, uint32_t second, Distance distance) const;
    /// Can the instruction at `access` follow the copy at `copy` without a wait between them?
    bool unwaited(uint32_t copy, uint32_t access) const;
    /// Does a thread that has waited for a phase at `wait` issue a copy next that completes on an mbarrier, or
    /// (by_stores) store to shared memory?
    bool produces_next(uint32_t wait, bool by_stores) const;
    /// Does a thread at `pc` ever arrive on an mbarrier?
    bool arrives_later(uint32_t pc) const;
    /// Does it ever issue a copy that completes on an mbarrier, as far as the text shows?
    bool copies_later(uint32_t pc) const;
    const Flow& flow(const machine::DecodedFunction& function) const {
        return flows_.try_emplace(&function, function).first->second;
    }
    /// The first wait for cp.async groups behind `pc` in the program's text; 0: there is none.
    uint32_t next_wait(uint32_t pc) const;
    /// Of the registers that the load at `pc` writes: how many does no instruction read before the last arrival or
    /// barrier that comes between it and the next branch? 0: none, or no arrival or barrier comes there.
    uint32_t unused_before_release(uint32_t pc) const;
    /// Does the function of the instruction at `pc` wait for phases by parity? Waits inside a cuda::barrier or a
    /// cuda::pipeline do not count: their parity is no concern of the reader.
    bool asks_parity(uint32_t pc) const;
    void forget();

  private:
    template <class F>
    bool ask(size_t question, uint32_t first, uint32_t second, F&& f) const;

    const Places& places_;
    mutable std::unordered_map<const machine::DecodedFunction*, Flow> flows_;
    mutable std::unordered_map<const machine::DecodedFunction*, bool> parity_; ///< asks_parity()
    mutable std::array<std::unordered_map<uint64_t, bool>, 7>
        answers_; ///< for pairs of pcs; leads() by Distance, then apart() by Distance, then unwaited()
};

} // namespace sim::hazards
