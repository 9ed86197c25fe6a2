#include "sim/shadow/readers.h"

#include <array>
#include <bit>
#include <unordered_map>

namespace sim::hazards {
namespace {

bool may_be_dropped(const Ordering& ordering, const Reader& reader) {
    return !reader.wrote() && ordering.speculation->may_be_dropped(reader.epoch, reader.pc);
}

/// If not all are, *bad is one that is not; if possible, one whose value does not only wait to be dropped.
bool readers_ordered(const Ordering& ordering, const WarpClock& warp, uint32_t lane, const Reader& readers, Proxy proxy,
                     Reader* bad) {
    if (kind_of(readers.epoch) == EpochKind::async || kind_of(readers.epoch) == EpochKind::host ||
        kind_of(readers.epoch) == EpochKind::old) {
        if (ordering.ordered(warp, lane, readers.epoch, proxy, !readers.wrote()))
            return true;
        if (bad)
            *bad = readers;
        return false;
    }
    const bool own_warp = block_of(readers.epoch) == warp.block && warp_of(readers.epoch) == warp.warp;
    if ((proxy == Proxy::generic && ordering.ordered_for_all(warp, readers.epoch)) ||
        (!own_warp && Ordering::warp_ordered(warp, lane, readers.epoch, proxy)))
        return true;
    bool fine = true;
    for (uint32_t rest = readers.mask; rest; rest &= rest - 1) {
        const auto other = uint32_t(std::countr_zero(rest));
        const Epoch e = readers.epoch | uint64_t{other} << lane_shift;
        if (ordering.ordered(warp, lane, e, proxy, true))
            continue;
        fine = false;
        if (bad)
            *bad = {e, 1u << other, readers.pc};
        if (!bad || !may_be_dropped(ordering, *bad))
            break;
    }
    return fine;
}

/// A read of a cell, and which of those remembered it makes superfluous.
struct NewRead {
    const Ordering& ordering;
    const WarpClock& warp;
    Reader me;
    Step step, old_step;
    uint32_t words;

    bool async() const { return kind_of(me.epoch) == EpochKind::async; }
    bool replaces(const Reader& old) const {
        if (old.wrote())
            return false;
        if (kind_of(me.epoch) == EpochKind::strong && kind_of(old.epoch) != EpochKind::strong)
            return false; // an atomic write excuses the strong read, not the plain one
        if (((old.epoch ^ me.epoch) & thread_field) == 0 && kind_of(old.epoch) == kind_of(me.epoch) && !async())
            return (old.mask & ~me.mask) == 0; // the same lanes again, later
        const auto lane = uint32_t(std::countr_zero(me.mask));
        // Words that one of the two has other lanes for; a copy has one lane for all.
        const uint32_t differing =
            std::max(async() ? 1 : words >> step, has_lane(old.epoch) ? words >> old_step : uint32_t{1});
        for (uint32_t word = 0; word < words; word += words / differing)
            if (!readers_ordered(ordering, warp, async() ? lane : lane + (word >> step),
                                 {old.epoch, std::rotl(old.mask, int(word >> old_step)), old.pc}, Proxy::generic,
                                 nullptr))
                return false;
        return true;
    }
};

} // namespace

bool reads_ordered(const Ordering& ordering, const WarpClock& warp, uint32_t lane, const Cell& cell,
                   const ReadSets& sets, Proxy proxy, bool atomic, Reader* bad, uint32_t words) {
    bool fine = true, dropped = true; // may the value of *bad be dropped?
    const auto look_at = [&](Reader readers) {
        for (uint32_t lanes = words >> cell.read_step, known = 1; known < lanes; known *= 2) // the other words' lanes
            readers.mask |= std::rotl(readers.mask, int(known));
        Reader found;
        // Whatever is ordered after a strong write is ordered after the write beneath it.
        if ((atomic ? kind_of(readers.epoch) == EpochKind::strong : readers.wrote()) ||
            readers_ordered(ordering, warp, lane, readers, proxy, bad ? &found : nullptr))
            return true;
        if (bad && (dropped || ordering.comes_first(found.epoch, bad->epoch))) {
            *bad = found;
            dropped = may_be_dropped(ordering, found);
        }
        fine = false;
        // Of an earlier launch, the first thread is named: its blocks have run in any order.
        return bad && (dropped || ordering.elsewhere(bad->epoch));
    };
    all_readers(cell, sets, look_at, proxy != Proxy::generic);
    return fine;
}

bool writes_beneath_ordered(const Ordering& ordering, const WarpClock& warp, uint32_t lane, const Cell& cell,
                            const ReadSets& sets, bool strong, Reader* bad) {
    return all_readers(cell, sets, [&](const Reader& reader) {
        return !reader.wrote() || (kind_of(reader.epoch) == EpochKind::strong) == strong ||
               readers_ordered(ordering, warp, lane, reader, Proxy::generic, bad);
    });
}

namespace {

/// The last write, as one that is beneath another.
Reader last_write(const Cell& cell) {
    return {has_lane(cell.write) ? cell.write & ~lane_field : cell.write,
            has_lane(cell.write) ? 1u << lane_of(cell.write) : 1, cell.write_pc | Reader::wrote_bit};
}

/// What stays remembered beneath a strong write, and how many of the reads: one that races is enough for a report.
struct Beneath {
    static constexpr uint32_t most_reads = 8;
    std::array<Reader, most_reads> reads; ///< ordinary ones, the newest first
    uint32_t count = 0;
    Reader write{}, strong{};

    Beneath(const Cell& cell, const ReadSets& sets) {
        const EpochKind kind = kind_of(cell.write);
        if (kind != EpochKind::none && kind != EpochKind::old && kind != EpochKind::strong)
            write = last_write(cell);
        all_readers(cell, sets, [&](const Reader& reader) {
            if (kind_of(reader.epoch) == EpochKind::strong)
                strong = strong.wrote() ? strong : reader;
            else if (reader.wrote())
                write = reader;
            else if (count < most_reads)
                reads[count++] = reader;
            return true;
        });
    }
    bool only_strong() const { return !count && !write.epoch; }
    uint32_t turn() const {
        return uint32_t(std::countr_zero((write.epoch ? write : strong.epoch ? strong : reads[0]).mask)) & 31;
    }
    Epoch set(ReadSets& sets, uint32_t turn) const {
        Epoch result = write.epoch ? sets.with(0, turned(write, turn)) : 0;
        if (strong.epoch)
            result = sets.with(result, turned(strong, turn));
        for (uint32_t i = count; i-- > 0;)
            result = sets.with(result, turned(reads[i], turn));
        return result;
    }
};

/// The strong access that stays beneath the new one; `old` is the one that did so far. A write does rather than a read,
/// and the first one of those that are not ordered rather than the last: that is seldom a new one to remember.
Reader strong_to_keep(const StrongWrite& by, const Cell& cell, const Reader& old) {
    const bool old_may = by.may_race(old);
    // All of a launch is ordered before what comes later, or nothing: its last write stands for the others.
    const Operations& operations = by.ordering.operations;
    const bool same_launch = old.epoch && !operations.own(block_of(old.epoch)) &&
                             kind_of(cell.write) == EpochKind::strong &&
                             operations.of_block(block_of(old.epoch)) == operations.of_block(block_of(cell.write));
    if (!(old_may && old.wrote() && !same_launch) && kind_of(cell.write) == EpochKind::strong)
        if (const Reader last = last_write(cell); by.may_race(last))
            return last;
    return old_may ? old : Reader{};
}

/// Does nothing change beneath the cell's last write? `strong`: the strong write that is there.
bool is_settled(const StrongWrite& by, const Cell& cell, const ReadSets& sets, Reader& strong) {
    if (kind_of(cell.write) != EpochKind::strong || !by.ordering.operations.own(block_of(cell.write)))
        return false;
    uint32_t others = 0;
    const bool all_stay = all_readers(cell, sets, [&](const Reader& reader) {
        if (kind_of(reader.epoch) != EpochKind::strong || !reader.wrote())
            return ++others <= Beneath::most_reads + 1;
        strong = reader;
        return by.may_race(reader);
    });
    return all_stay && (strong.epoch || by.observes || ((cell.write ^ by.mine) & thread_field) == 0);
}

} // namespace

bool record_strong_write(const StrongWrite& by, Cell& cell, ReadSets& sets) {
    Reader kept = cell.reader(), strong{};
    const bool settled = is_settled(by, cell, sets, strong);
    if (!settled) {
        Beneath beneath(cell, sets);
        beneath.strong = strong_to_keep(by, cell, beneath.strong);
        if (kind_of(beneath.write.epoch) == EpochKind::async)
            sets.keep();
        if (beneath.only_strong()) {
            kept = beneath.strong;
        } else {
            const uint32_t turn = kind_of(cell.read) == EpochKind::set ? cell.read_mask : beneath.turn();
            kept = {beneath.set(sets, turn), turn, 0};
        }
    }
    cell.replaced(by.mine, by.pc, kept);
    return settled && strong.epoch && (strong.epoch ^ by.mine) >> warp_shift;
}

void record_read(const Ordering& ordering, const WarpClock& warp, uint32_t mask, Cell& cell, ReadSets& sets, Epoch mine,
                 uint32_t pc, Step step, uint32_t words) {
    const NewRead read{ordering, warp, {mine, mask, pc}, step, Step(cell.read_step), words};
    const bool is_set = kind_of(cell.read) == EpochKind::set;
    const uint32_t count = is_set ? sets.count(cell.read) : 0;
    if (count) {
        const Reader head = sets.newest(cell.read), turned_me = turned(read.me, cell.read_mask);
        if (head.epoch == mine && !head.wrote() && !read.async()) {
            if (turned_me.mask & ~head.mask)
                cell.read = sets.with(sets.rest(cell.read), {mine, head.mask | turned_me.mask, head.pc});
            return;
        }
    }
    // Readers that are ordered before this one need not be remembered. Long sets are searched for such ones only each
    // time that they have doubled.
    if (count > 8 && (count & (count - 1))) {
        cell.read = sets.with(cell.read, turned(read.me, cell.read_mask));
        return;
    }
    Epoch kept = 0;
    const uint32_t turn = is_set ? cell.read_mask : read.async() ? 0 : uint32_t(std::countr_zero(mask));
    Reader only = read.me;
    bool others = false;
    all_readers(cell, sets, [&](const Reader& old) {
        if (old.epoch == mine && !old.wrote() && !read.async()) {
            only.mask |= old.mask;
        } else if (!read.replaces(old)) {
            kept = sets.with(kept, turned(old, turn));
            others = true;
        }
        return true;
    });
    if (!others)
        return cell.read_by(only, step);
    cell.read = sets.with(kept, turned(only, turn));
    cell.read_mask = turn;
    if (!read.async())
        cell.read_step = step & 3u;
}

namespace {

/// Copies the sets that cells still name into `to`; shared chains are copied once.
class Mover {
  public:
    Mover(const ReadSets& from, ReadSets& to) : from_(from), to_(to) {}
    void move(Cell& cell) {
        if (kind_of(cell.read) == EpochKind::set)
            cell.read = from_.count(cell.read) ? moved(cell.read) : 0;
    }

  private:
    Epoch moved(Epoch set) {
        std::vector<Epoch> chain;
        Epoch done = 0;
        for (Epoch at = set; at; at = from_.rest(at)) {
            if (auto it = known_.find(at); it != known_.end()) {
                done = it->second;
                break;
            }
            chain.push_back(at);
        }
        for (; !chain.empty(); chain.pop_back())
            known_[chain.back()] = done = to_.with(done, from_.newest(chain.back()));
        return done;
    }
    const ReadSets& from_;
    ReadSets& to_;
    std::unordered_map<Epoch, Epoch> known_;
};

} // namespace

void collect_read_sets(SharedShadow& shadow) {
    ReadSets kept;
    kept.keep(); // a fresh generation could be mistaken for an older one
    Mover mover(shadow.sets, kept);
    shadow.memory.for_all(shadow.rows, [&](Cell& cell) { mover.move(cell); });
    shadow.pool.for_all([&](Cell& cell) { mover.move(cell); });
    kept.raise_limit();
    shadow.sets = std::move(kept);
}

void collect_read_sets(GlobalShadow& shadow) {
    ReadSets kept;
    Mover mover(shadow.sets, kept);
    for (auto& page : shadow.pages)
        if (page.rows)
            page.for_all([&](Cell& cell) { mover.move(cell); });
    shadow.pool.for_all([&](Cell& cell) { mover.move(cell); });
    kept.raise_limit();
    shadow.sets = std::move(kept);
}

} // namespace sim::hazards
