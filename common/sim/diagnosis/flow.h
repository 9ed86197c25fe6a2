// Where control can flow within one function. Two accesses that nothing orders are found in the order in which they
// happened to run; the program's text shows which of them was meant to come first.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine/program.h"

namespace sim::hazards {

/// How far apart the threads of two accesses are: it decides which instructions between them count as synchronisation.
enum class Distance : uint8_t { same_warp, same_block, other_block };

class Flow {
  public:
    static bool is_wait(const machine::Op&); ///< for cp.async groups
    explicit Flow(const machine::DecodedFunction& function);
    /// Is op `first` meant to come before op `second`? True: there is a path from the first to the second, and none
    /// back, without a synchronisation on it (or, if there is none either way: without this condition).
    bool leads(uint32_t first, uint32_t second, Distance distance) const;
    /// Is there a way from op `first` to op `second`, and none back, without a synchronisation on it?
    bool apart(uint32_t first, uint32_t second, Distance distance) const;
    /// Is there a way from op `copy` to op `to` without a wait for copies?
    bool reaches_unwaited(uint32_t copy, uint32_t to) const { return reaches(copy, to, waits); }
    /// Does a way from op `wait` lead to the issue of a copy that completes on an mbarrier (or `by_stores`: to a store
    /// to shared memory), without another wait for a phase on it?
    bool produces_next(uint32_t wait, bool by_stores) const;
    /// Does a way from op `from` lead to an arrival on an mbarrier?
    bool arrives_later(uint32_t from) const { return comes_to(from, produces | arrives, 0); }
    /// Is the instruction that block barrier?
    bool meets(uint32_t at, uint32_t barrier) const;
    /// Could a thread at op `from` still do that, as far as the text shows? A call may do anything.
    bool may_arrive(uint32_t from) const { return comes_to(from, produces | arrives | calls, 0); }
    bool may_copy(uint32_t from) const { return comes_to(from, produces | calls, 0); }
    bool may_meet(uint32_t from, uint32_t barrier) const;
    /// The ops to which ways from op `from` lead.
    std::vector<uint32_t> ahead(uint32_t from) const;

  private:
    enum Stop : uint8_t { of_warp = 1, of_block = 2, of_device = 4, waits = 8, phases = 16 };
    enum Does : uint8_t { produces = 1, arrives = 2, stores = 4, calls = 8 };
    static constexpr uint8_t any_barrier = 255;
    bool reaches(uint32_t from, uint32_t to, uint8_t stops = 0) const;
    bool comes_to(uint32_t from, uint8_t does, uint8_t stops) const;
    /// Is there a way from op `from` to one that found() accepts? It goes on behind none with one of `stops`.
    template <class F>
    bool search(uint32_t from, uint8_t stops, F&& found) const;
    static uint8_t stops(const machine::Op&); ///< of Stop
    static uint8_t stops(Distance distance);
    static uint8_t deeds(const machine::Op&); ///< of Does
    static uint8_t barrier_of(const machine::Op&);

    struct Node {
        std::vector<uint32_t> branches; ///< ops that it may jump to
        bool falls_through = true;
        uint8_t stops = 0; ///< bits of Stop
        uint8_t does = 0;
        uint8_t meets = 0; ///< the number of a block barrier, plus one; 0: it is none
    };
    std::vector<Node> nodes_;
};

} // namespace sim::hazards
