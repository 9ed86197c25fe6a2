// mbarrier objects of one block (PTX ISA, "mbarrier").
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "sim/events/copies.h"
#include "sim/machine/exec.h"

namespace sim::async {

inline constexpr uint32_t max_barrier_count = (1u << 20) - 1;

struct Mbarrier {
    uint32_t expected = 0; ///< arrivals per phase
    uint32_t pending = 0;  ///< arrivals that the current phase still lacks
    int64_t tx = 0;        ///< bytes expected and not yet arrived; negative while a completion overtakes its expect
    uint64_t phase = 0;    ///< phases completed
    uint64_t expected_bytes = 0, arrived_inside = 0, arrived_outside = 0; ///< of the current phase, for reports
    uint64_t image = 0;    ///< what its 8 bytes of shared memory hold; anything else means it was overwritten
    uint8_t layout = 0;    ///< the N of .layout::vN at its initialisation
    uint32_t arrivals = 0; ///< made in the current phase, for reports
    uint32_t added = 0;    ///< to the current phase, by cp.async.mbarrier.arrive without .noinc
    uint32_t copies = 0;   ///< under way that will complete here, for statistics
    std::string remark;    ///< about the tensor map of a copy that completed on it, for reports
    events::Mbarrier seen; ///< as listeners see it
};

/// A wait's question, as Wait::phase holds it: a token (the phase number), or a parity with the top bit set.
inline constexpr uint64_t parity_question = uint64_t{1} << 63;

class Mbarriers {
  public:
    explicit Mbarriers(machine::Block& block) : block_(block) {}

    void init(machine::Exec&, const machine::Op&, int lane, uint32_t offset, uint32_t count);
    void invalidate(machine::Exec&, const machine::Op&, int lane, uint32_t offset);
    /// The live barrier at `offset`; reports if it was overwritten, or if there is none: then nullptr. `mask`: the
    /// lanes of the executing warp that use it.
    Mbarrier* use(machine::Exec&, const machine::Op&, uint32_t mask, uint32_t offset);
    Mbarrier* find(uint32_t offset) {
        const auto it = barriers_.find(offset);
        return it == barriers_.end() ? nullptr : it->second.get();
    }

    /// `count` arrivals by each lane of `mask` (of a warp of any block). Returns the token of before.
    uint64_t arrive(machine::Exec&, const machine::Op&, uint32_t mask, uint32_t offset, Mbarrier&, uint32_t count,
                    bool release);
    /// Reports lanes of one instruction that are more than a phase has arrivals.
    void check_arrivals(machine::Exec&, const machine::Op&, uint32_t mask, const Mbarrier&);
    /// An arrival that is not an instruction's: cp.async.mbarrier.arrive, completed.
    void arrive_deferred(uint32_t offset, Mbarrier&, uint32_t count);
    void drop(Mbarrier& barrier, uint32_t count) { barrier.expected -= std::min(barrier.expected, count); }
    void expect_tx(Mbarrier&, uint32_t offset, int64_t bytes);
    /// Can `lane` expect `bytes` more? Reports and fails if the tx-count would leave its range.
    bool can_expect(machine::Exec&, const machine::Op&, int lane, const Mbarrier&, int64_t bytes);
    void complete_tx(Mbarrier& barrier, uint32_t offset, int64_t bytes) { expect_tx(barrier, offset, -bytes); }
    /// Has the phase that `question` asks for completed?
    static bool complete(const Mbarrier&, uint64_t question);
    static uint64_t token(const Mbarrier& barrier) { return barrier.phase << 24 | (barrier.pending & 0xffffff); }

    /// `by_parity`: the wait that is described asks by parity.
    std::string describe(uint32_t offset, bool by_parity);
    std::string name(uint32_t offset) const; ///< as the source has it: "full[1]"
    uint32_t phases_in_flight() const;

  private:
    bool alive(machine::Exec&, const machine::Op&, uint32_t mask, uint32_t offset);
    void settle(uint32_t offset, Mbarrier&);
    void store_image(uint32_t offset, Mbarrier&);
    bool intact(uint32_t offset, const Mbarrier&) const;

    machine::Block& block_;
    std::unordered_map<uint32_t, std::unique_ptr<Mbarrier>> barriers_;
    std::unordered_map<uint32_t, std::string> ended_; ///< the line where it was invalidated, for reports
};

} // namespace sim::async
