// Interned sets of readers. A word read by a thousand threads holds one number; words that were read alike share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/hazards/epoch.h"

namespace sim::hazards {

struct Reader {
    Epoch epoch;   ///< lane field zero (kind async: as it is)
    uint32_t mask; ///< lanes of the warp
    uint32_t pc;
    bool operator==(const Reader&) const = default;
};

/// The sets of one shadow memory. A set's number carries the generation it was made in: when a barrier of the whole block
/// orders all readers before whatever follows, the generation is retired and its sets count as empty.
class ReadSets {
  public:
    /// The readers of a cell whose epoch is of kind set; empty if they have been retired.
    std::span<const Reader> readers(Epoch set) const {
        if ((number_of(set) >> 32) != generation_)
            return {};
        const Set& found = sets_[uint32_t(set)];
        return {pool_.data() + found.first, found.count};
    }
    bool retired(Epoch set) const { return (number_of(set) >> 32) != generation_; }
    /// The epoch that names a set with these readers.
    Epoch intern(std::span<const Reader> readers);
    /// All readers are ordered before everything that follows. Sets with readers that a block barrier does not order
    /// (`lasting`: bulk copies, other blocks) keep the generation alive.
    void retire();
    void keep() { lasting_ = true; }
    void clear();
    size_t bytes() const { return pool_.size() * sizeof(Reader) + sets_.size() * sizeof(Set) + table_.size() * 4; }

  private:
    struct Set {
        uint32_t first, count;
        uint64_t hash;
    };
    void grow();

    std::vector<Reader> pool_;
    std::vector<Set> sets_;
    std::vector<uint32_t> table_; ///< open addressing: 1 + number of a set
    uint64_t generation_ = 0;
    bool lasting_ = false;
};

} // namespace sim::hazards
