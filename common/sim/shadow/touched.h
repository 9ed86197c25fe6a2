// What some blocks of a launch have done to global memory, as far as later work must know: for each piece of it, who
// has written it last, and who of them has read it since. It moves between the shadow memories of two processes.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/memory/global_memory.h"
#include "sim/ordering/ordering.h"
#include "sim/shadow/shadow.h"

namespace sim::hazards {

/// A row, a quad, a word or a byte.
struct Touched {
    uint64_t address = 0;
    Epoch write = 0; ///< 0: they have only read it
    uint32_t write_pc = 0;
    uint32_t readers = 0; ///< how many of the list belong to it: those of the first warp that has read it
    uint16_t bytes = 0;
    Step write_step = one_lane, read_step = one_lane;
};

struct TouchedMemory {
    std::vector<Touched> pieces; ///< in ascending order within an allocation
    std::vector<Reader> readers; ///< of the pieces, one after the other
};

/// Is a block one of those?
using IsOwn = std::function<bool(uint64_t block)>;

/// Appends what the blocks that is_own() names have touched of this allocation.
void collect_touched(const memory::Allocation& allocation, const Ordering& ordering, const IsOwn& is_own,
                     TouchedMemory& to);

/// Puts it into another shadow of the allocation. `of_launch`: is a block of the same launch?
void join_touched(const memory::Allocation& allocation, GlobalShadow& shadow, const Ordering& ordering,
                  const IsOwn& of_launch, const Touched& piece, std::span<const Reader> readers);

/// Which words several parts have touched.
class WordsInUse {
  public:
    /// Adds those of a part. False: another one has written one of these, or it writes one that another has used.
    bool add(std::span<const Touched> pieces);
    /// Has any part written or read the word at this address?
    bool has(uint64_t address) const;

  private:
    static constexpr uint32_t page_words = GlobalShadow::page_bytes / 4;
    struct Page {
        uint64_t written[page_words / 64]{}, read[page_words / 64]{};
    };
    /// Calls f(page, index of 64 words, those among them) until it says false. True: it never did.
    template <class F>
    bool for_words(std::span<const Touched> pieces, F&& f);

    std::unordered_map<uint64_t, Page> pages_;
};

} // namespace sim::hazards
