// The readers of a cell: is a write ordered after all of them, and which of them must be remembered?
#pragma once

#include "sim/ordering/ordering.h"
#include "sim/shadow/shadow.h"

namespace sim::hazards {

/// Are all reads that `cell` remembers of any of its `words` ordered before lane `lane`? If not, *bad is one that is
/// not, with one lane in its epoch. `atomic`: the later access is strong, so that strong reads do not matter, but
/// ordinary accesses beneath the last, strong write do.
bool reads_ordered(const Ordering& ordering, const WarpClock& warp, uint32_t lane, const Cell& cell,
                   const ReadSets& sets, Proxy proxy, bool atomic, Reader* bad, uint32_t words = quad_words);

/// Are the writes beneath the cell's last one with which the access may race, if there are any, ordered before lane
/// `lane`? `strong`: the access is a strong one; they are ordinary ones then, and else strong ones.
bool writes_beneath_ordered(const Ordering& ordering, const WarpClock& warp, uint32_t lane, const Cell& cell,
                            const ReadSets& sets, bool strong, Reader* bad);

/// A strong write of a lane.
struct StrongWrite {
    const Ordering& ordering;
    const WarpClock& warp;
    Epoch mine;
    uint32_t pc;
    bool observes; ///< an atomic operation whose old value is used: it comes after all that led to this value

    bool same_thread(Epoch e, uint32_t lanes) const {
        return (e ^ mine) >> warp_shift == 0 && lanes == 1u << lane_of(mine);
    }
    /// An earlier strong access: may an ordinary one to come race with it, though it does not with this write?
    bool may_race(const Reader& earlier) const {
        if (!earlier.epoch || (observes && earlier.wrote()) || same_thread(earlier.epoch, earlier.mask))
            return false;
        if ((earlier.epoch ^ mine) >> block_shift == 0)
            return tick_of(earlier.epoch) > warp.known_to_all()[warp_of(earlier.epoch)];
        return !ordering.ordered_for_all(warp, earlier.epoch);
    }
};

/// A strong write replaces the cell's last one. An ordinary one, and ordinary reads, stay remembered beneath it: strong
/// accesses do not race with the new write, but they may with those. A strong access of another thread stays, too, for
/// the ordinary accesses to come. True: nothing changes beneath the write, nor would it for other lanes of its warp.
bool record_strong_write(const StrongWrite& by, Cell& cell, ReadSets& sets);

/// Lanes `mask` (which know the same) read the cell; `mine` has no lane. Where other words are read by other lanes
/// (step), `mask` is the lane that reads word 0, and the cell can_remember() the others.
void record_read(const Ordering& ordering, const WarpClock& warp, uint32_t mask, Cell& cell, ReadSets& sets, Epoch mine,
                 uint32_t pc, Step step = one_lane, uint32_t words = quad_words);

/// Can a row or quad that is not split remember a read of lanes side by side beside those that it does?
inline bool can_remember(const Cell& quad, Step step) {
    return quad.read_step == step || (kind_of(quad.read) != EpochKind::set && !has_lane(quad.read));
}

/// Calls f(reader) for all that `cell` remembers of its first word, until it says false. True: it never did. `ever`:
/// those, too, that a barrier of the block has ordered before all that follows.
template <class F>
bool all_readers(const Cell& cell, const ReadSets& sets, F&& f, bool ever = false);

/// Drops the sets that no cell names any more.
void collect_read_sets(SharedShadow& shadow);
void collect_read_sets(GlobalShadow& shadow);

// Neighbouring words are mostly read by neighbouring lanes, warp after warp. With masks turned so that the lane that
// came first is lane 0 (the cell remembers by how much), all these words share their sets. Bulk operations have no
// lanes.
inline Reader turned(Reader readers, uint32_t by) {
    if (kind_of(readers.epoch) != EpochKind::async)
        readers.mask = std::rotr(readers.mask, int(by));
    return readers;
}
inline Reader turned_back(Reader readers, uint32_t by) {
    if (kind_of(readers.epoch) != EpochKind::async)
        readers.mask = std::rotl(readers.mask, int(by));
    return readers;
}

template <class F>
bool all_readers(const Cell& cell, const ReadSets& sets, F&& f, bool ever) {
    if (!cell.read)
        return true;
    if (kind_of(cell.read) != EpochKind::set)
        return f(Reader{cell.read, cell.read_mask, cell.read_pc});
    const auto each = [&](const Reader& readers) { return f(turned_back(readers, cell.read_mask)); };
    return ever ? sets.all_ever_of(cell.read, each) : sets.all_of(cell.read, each);
}

} // namespace sim::hazards
