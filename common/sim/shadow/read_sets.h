// Interned sets of readers. A word read by a thousand threads holds one number; words with the same readers share it. A
// set is a chain of readers, newest first; chains with a common past share it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/ordering/epoch.h"

namespace sim::hazards {

struct Reader {
    Epoch epoch;   ///< lane field zero (kind async: as it is)
    uint32_t mask; ///< lanes of the warp
    uint32_t pc;
    bool operator==(const Reader&) const = default;

    /// No reader, but a write, which a strong one has replaced in the cell: the last ordinary one, or a strong one.
    static constexpr uint32_t wrote_bit = uint32_t{1} << 31;
    bool wrote() const { return pc & wrote_bit; }
    uint32_t place() const { return pc & ~wrote_bit; }
};

/// The sets of one shadow memory. A set's number carries the generation it was made in: when a barrier of the whole
/// block orders all readers before whatever follows, the generation is retired and its sets count as empty. Only the
/// async proxy still asks for their readers: a barrier does not order these before its accesses.
class ReadSets {
  public:
    bool retired(Epoch set) const { return (number_of(set) >> 32) != generation_; }
    /// Readers in the set that `set` (an epoch of kind set) names; 0 if they have been retired.
    uint32_t count(Epoch set) const { return retired(set) ? 0 : nodes_[uint32_t(set)].count; }
    const Reader& newest(Epoch set) const { return nodes_[uint32_t(set)].reader; }
    /// The set without its newest reader; 0 if none is left.
    Epoch rest(Epoch set) const {
        const uint32_t parent = nodes_[uint32_t(set)].parent;
        return parent == none ? 0 : name(parent);
    }
    /// Calls f(reader) until it says false; true if it never did.
    template <class F>
    bool all_of(Epoch set, F&& f) const {
        return retired(set) || all_of(nodes_, set, f);
    }
    /// The same, even for a set that was retired by one of the last barriers.
    template <class F>
    bool all_ever_of(Epoch set, F&& f) const {
        const uint64_t age = (generation_ - (number_of(set) >> 32)) & last_generation;
        if (age == 0)
            return all_of(nodes_, set, f);
        const std::vector<Node>& nodes = earlier_[(number_of(set) >> 32) % earlier_.size()];
        return age > earlier_.size() || nodes.empty() || all_of(nodes, set, f);
    }
    /// `set` (0: the empty one) and one more reader.
    Epoch with(Epoch set, const Reader& reader) {
        Step& known =
            last_[(set ^ set >> 32 ^ reader.epoch ^ reader.epoch >> warp_shift ^ reader.mask * 5u) % last_.size()];
        if (set != known.set || !(reader == known.reader))
            known = {set, reader, find(set, reader)};
        return known.result;
    }
    /// All readers are ordered before everything that follows. Sets with readers that a block barrier does not order
    /// (keep(): bulk copies, other blocks) stay.
    void retire();
    /// The same for all readers, which nothing asks for any more.
    void retire_all();
    void keep() { lasting_ = true; }
    bool lasting() const { return lasting_; }
    void clear();
    size_t bytes() const { return nodes_.size() * sizeof(Node) + table_.size() * 4; }
    bool is_full() const { return bytes() > limit_; }
    /// After a collection: the next one is due when twice as much is in use.
    void raise_limit() { limit_ = std::max(limit_, 2 * bytes()); }

  private:
    static constexpr uint32_t none = UINT32_MAX;
    static constexpr uint64_t last_generation = 0x1fffffff;
    static constexpr size_t most_kept = 4096; ///< nodes of a generation that is retired
    struct Node {
        Reader reader;
        uint32_t parent, count;
    };
    template <class F>
    static bool all_of(const std::vector<Node>& nodes, Epoch set, F&& f) {
        for (uint32_t at = uint32_t(set); at != none; at = nodes[at].parent)
            if (!f(nodes[at].reader))
                return false;
        return true;
    }
    void next_generation(bool keep);
    Epoch name(uint32_t node) const { return Epoch(EpochKind::set) << kind_shift | generation_ << 32 | node; }
    Epoch find(Epoch set, const Reader& reader);
    void grow();

    struct Step {
        Epoch set;
        Reader reader;
        Epoch result;
    };
    std::array<Step, 32> last_{}; ///< words that were read alike come one after the other
    std::vector<Node> nodes_;
    std::array<std::vector<Node>, 4> earlier_; ///< of the last generations, unless they were too many
    std::vector<uint32_t> table_;              ///< open addressing: 1 + number of a node
    uint64_t generation_ = 0;
    size_t limit_ = 16u << 20;
    bool lasting_ = false;
};

} // namespace sim::hazards
