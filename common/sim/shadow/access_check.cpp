#include "sim/shadow/access_check.h"

#include <bit>
#include <cstring>

#include "sim/machine/exec.h"
#include "sim/shadow/judgement.h"
#include "sim/shadow/same_value.h"
#include "sim/shadow/span_check.h"

namespace sim::hazards {

using events::Access;
using machine::Exec;

namespace {

/// A load whose value counts only under a condition?
bool is_speculated(Exec& x, const Access& a) {
    return a.kind == Access::Kind::load && x.function->speculated[x.fragment().pc];
}

} // namespace

/// One access of a warp on its way: lane by lane, cell by cell.
template <class Cells>
struct AccessCheck::OfWarp : Judgement {
    const AccessCheck& check;
    Exec& x;
    events::Reports& reports;
    LocationClocks& locations;
    Cells cell_at;

    static constexpr bool in_shared = std::is_same_v<Cells, SharedCells>;
    const bool speculated = is_speculated(x, a);
    const bool takes_data = strong && a.kind == Access::Kind::load && x.function->volatile_data[x.fragment().pc];
    // State of the current lane:
    bool undefined = false, raced = false;
    Cell* first_cell = nullptr;
    // State of the current element: has it raced, and what was reported last, with which instruction?
    bool element_raced = false;
    uint32_t report = 0, report_pc = 0;
    bool report_wrote = false;

    /// Ordinary accesses, of lanes that know the same.
    bool simple() const { return !strong && !speculated && warp.one_clock(); }

    /// One lane of a simple access. If there is nothing to report, records it and returns true; else it changes
    /// nothing.
    bool is_fine(uint32_t which) {
        choose(which);
        const uint64_t address = a.address[lane];
        const auto fine = [this](const Cell& cell) {
            return !cell.agreed && (cell.write || writes) && last_writes.is_fine(lane, cell.write) &&
                   writes_beneath_are_fine(cell, nullptr) && (!writes || reads_are_fine(cell, nullptr));
        };
        bool all = true;
        for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) { all = all && fine(cell); });
        if (all) {
            for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) { record(cell); });
            if (writes && a.bytes >= 4)
                unsplit(cell_at, address);
        }
        return all;
    }

    /// One word for all lanes: one visit, if there is nothing to report. False: nothing was done.
    bool broadcast() {
        if (writes || strong || !warp.one_clock() || !(a.mask & (a.mask - 1)) || speculated)
            return false;
        const uint64_t address = a.address[std::countr_zero(a.mask)];
        if (a.address[31 - std::countl_zero(a.mask)] != address)
            return false;
        uint32_t others = 0; // lanes with another address
        for (uint32_t i = 0; i < 32; ++i)
            others |= uint32_t(a.address[i] != address) << i;
        bool fine = !(others & a.mask);
        if (fine)
            for_cells(address, a.bytes, tables.pool, cell_at,
                      [&](Cell& cell) { fine = fine && cell.write && all_ordered(cell.write) && none_beneath(cell); });
        if (fine)
            for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) { record_for(a.mask, cell); });
        return fine;
    }

    [[gnu::noinline]] void one_lane(uint32_t which) {
        if (!is_fine(which))
            look_at(which);
    }

    /// Lanes one by one: words, or bytes, that are fine for a reason that is found at once.
    template <bool stores, uint32_t known_bytes>
    void lanes_of_simple(uint32_t lanes) {
        Excuses excuses = Judgement::excuses<in_shared>();
        const uint32_t bytes = known_bytes ? known_bytes : a.bytes, by_pc = pc;
        const uint64_t* const addresses = a.address;
        const Cells cell_at = this->cell_at; // nearer than a member
        SplitPool& pool = tables.pool;
        for (uint32_t done = 0; lanes; lanes &= ~done) {
            const auto which = uint32_t(std::countr_zero(lanes));
            done = 1u << which;
            const uint64_t address = addresses[which];
            const uint32_t begin = cell_at.in_quad(address);
            const Epoch mine_here = excuses.me | uint64_t{which} << lane_shift;
            Cell* const word = pool.split(cell_at.quad(address)) + begin / 4;
            Cell *first = word, *end = word + bytes / 4;
            if (bytes < 4 || (bytes == 4 && word->split)) {
                first = pool.split(*word) + begin % 4;
                end = first + bytes;
            }
            bool fine = begin + bytes <= 16, beside_others = false;
            for (const Cell* cell = first; cell != end && fine; ++cell) {
                fine = !cell->split && !cell->agreed && (stores || cell->write) &&
                       excuses.is_fine_for(cell->write, mine_here);
                if (!excuses.for_reads(cell->read, cell->read_mask, which) && (stores || cell->read != excuses.me)) {
                    beside_others = true;
                    fine = fine && !stores && kind_of(cell->write) != EpochKind::strong;
                }
            }
            if (!fine) [[unlikely]] {
                one_lane(which);
                excuses = Judgement::excuses<in_shared>();
                continue;
            }
            if (!stores && beside_others) {
                done = record_alike(which, lanes, first, end);
                continue;
            }
            if (stores && bytes == 4 && word->split) {
                word->split = 0;
                first = word;
                end = word + 1;
                had_bytes = true;
            }
            for (; first != end; ++first)
                if constexpr (stores) {
                    first->write = mine_here;
                    first->write_pc = by_pc;
                    first->read = 0;
                } else {
                    const uint32_t others = first->read == excuses.me ? first->read_mask : 0;
                    first->read = excuses.me;
                    first->read_mask = others | 1u << which;
                    first->read_pc = by_pc;
                }
        }
    }
    void lanes_by_themselves(uint32_t lanes) {
        if (a.bytes == 4)
            writes ? lanes_of_simple<true, 4>(lanes) : lanes_of_simple<false, 4>(lanes);
        else if (a.bytes == 2)
            writes ? lanes_of_simple<true, 2>(lanes) : lanes_of_simple<false, 2>(lanes);
        else
            writes ? lanes_of_simple<true, 0>(lanes) : lanes_of_simple<false, 0>(lanes);
    }

    /// Lanes that access a quad together.
    void lanes_of_quad(Cell& cell, uint32_t first, Step step) {
        if (quad(cell, first, step))
            return;
        lanes_by_themselves(lane_mask(first, 4u >> step));
        if (writes && !had_bytes)
            tables.pool.join(cell, me | uint64_t{first} << lane_shift, pc, step);
    }

    /// `count` lanes from `first` on, which access words side by side.
    void side_by_side(uint32_t first, uint32_t count, Step step) {
        if constexpr (in_shared)
            for (uint32_t part; step == 0 && count; first += part, count -= part) {
                part = std::min(count, row_words - cell_at.in_row(a.address[first]) / 4);
                if (!SpanCheck(ordering, warp, writes, pc).row(cell_at, a.address[first], first, part))
                    by_quads(first, part, step);
            }
        if (count)
            by_quads(first, count, step);
    }

    void by_quads(uint32_t first, uint32_t count, Step step) {
        const uint32_t end = first + count, lanes = 4u >> step;
        if (const uint32_t in_quad = cell_at.in_quad(a.address[first])) {
            if (in_quad % a.bytes)
                return lanes_by_themselves(lane_mask(first, count));
            const uint32_t before = std::min((16 - in_quad) / a.bytes, count);
            lanes_by_themselves(lane_mask(first, before));
            first += before;
        }
        while (first + lanes <= end) {
            const uint64_t address = a.address[first];
            uint32_t quads = (end - first) >> (2 - step);
            if (quads >= row_quads && cell_at.in_row(address) == 0 && row(address, first, step)) {
                quads = row_quads;
            } else {
                quads = cell_at.before_whole_row(address, quads);
                all_quads(&cell_at(address), quads, first, step);
            }
            first += quads * lanes;
        }
        if (first < end)
            lanes_by_themselves(lane_mask(first, end - first));
    }

    /// A whole row. False: it is split.
    bool row(uint64_t address, uint32_t first, Step step) {
        auto& memory = cell_at.rows(address);
        const uint64_t number = cell_at.row(address);
        if constexpr (!in_shared)
            if (!writes && memory.in_part(number) && whole_row(memory.rows[number], first, step)) {
                for (uint32_t rest = memory.rows[number].group; rest; rest &= rest - 1) {
                    const auto i = uint32_t(std::countr_zero(rest));
                    lanes_of_quad(memory.split(number, i), first + (i * 4u >> step), step);
                }
                return true;
            }
        if (!memory.rows[number].split && whole_row(memory.rows[number], first, step))
            return true;
        Cell* const quads = &cell_at(address);
        if (!writes)
            return false;
        all_quads(quads, row_quads, first, step);
        if (std::none_of(quads, quads + row_quads,
                         [](const Cell& quad) { return quad.split || quad.has_clock || quad.agreed; }))
            memory.join(number, me | uint64_t{first} << lane_shift, pc, step);
        return true;
    }

    void all_quads(Cell* quads, uint32_t count, uint32_t first, Step step) {
        for (uint32_t done = 0; done < count; ++done) {
            done += writes ? quick_quads<true>(quads + done, count - done, first + (done * 4u >> step), step)
                           : quick_quads<false>(quads + done, count - done, first + (done * 4u >> step), step);
            if (done < count)
                lanes_of_quad(quads[done], first + (done * 4u >> step), step);
        }
    }

    /// Quads as far as lanes access them together.
    void rows(Step step) {
        const uint32_t next = followed(a), others = (4u >> step) - 1; // in a quad
        const bool few = in_shared && step == 0 && std::popcount(a.mask & ~(next << 1)) <= 4;
        // Where not one quad can be together, the lanes are quicker by themselves.
        if (const uint32_t far = next & next >> (others > 1) & next >> (others > 1) * 2; others && !far && !few)
            return lanes_by_themselves(a.mask);
        for (uint32_t rest = a.mask; rest;) {
            const auto first = uint32_t(std::countr_zero(rest)), count = uint32_t(std::countr_one(next >> first)) + 1;
            side_by_side(first, count, step);
            rest &= ~0u << (first + count - 1) << 1;
        }
    }

    void all() {
        if (!simple()) {
            for (uint32_t rest = a.mask; rest; rest &= rest - 1)
                look_at(uint32_t(std::countr_zero(rest)));
        } else if (a.bytes == 4 || a.bytes == 8 || a.bytes == 16) {
            rows(step_of(a.bytes));
        } else {
            lanes_by_themselves(a.mask);
        }
    }

    Spot spot(uint64_t at) const { return {a.space == ptx::Space::shared ? a.target : nullptr, at}; }

    /// A volatile load that is no poll takes what another thread has stored, and nothing orders the two.
    void take_volatile(const Cell& cell, uint64_t at) {
        if (!ordering.ordered(warp, lane, cell.write) && check.finder_.is_volatile(cell.write_pc)) {
            report = check.finder_.unordered(x, {.lane = lane,
                                                 .spot = spot(at),
                                                 .other = cell.write,
                                                 .other_pc = cell.write_pc,
                                                 .volatile_value = true});
            element_raced = raced = true;
        }
    }

    void found(Spot spot, Epoch other, uint32_t other_pc, bool other_wrote, bool same) {
        const bool known = report && report_pc == other_pc && report_wrote == other_wrote;
        if (!element_raced && !known) {
            report = check.finder_.unordered(x, {lane, role_of(a.kind), spot, other, other_pc, other_wrote, same});
            report_pc = other_pc;
            report_wrote = other_wrote;
        }
        element_raced = raced = true;
    }

    void visit(Cell& cell, uint64_t at) {
        if (!first_cell)
            first_cell = &cell;
        undefined = undefined && cell.write == 0;
        end_of_cell(at);
        unwritten_from = cell.write ? 0 : at + 1;
        if (strong && observes_another(cell, at, in_shared) && takes_data) [[unlikely]]
            take_volatile(cell, at);
        const bool fine = last_writes.is_fine(lane, cell.write),
                   same = (!fine || cell.agreed) && same_value(check.memory_, a, {warp, lane, pc}, cell, at);
        if (!fine)
            found(spot(at), cell.write, cell.write_pc, true, same);
        Reader bad;
        if (((writes && !reads_are_fine(cell, &bad)) || !writes_beneath_are_fine(cell, &bad)) &&
            !(first_cell->has_clock && acquires(warp, lane, a.semantics, locations[a.address[lane]], bad.epoch)))
            found(spot(at), bad.epoch, bad.place(), bad.wrote(), false);
        const bool agreed = same && (!fine || cell.write == mine);
        record(cell);
        if (writes)
            cell.agreed = agreed;
    }

    void follow(uint32_t element, uint32_t number) {
        if (number && a.kind == Access::Kind::load)
            reports.add(element, lane, number);
    }

    void follow_all(uint32_t number) {
        for (uint32_t at = 0, element = 0; at < a.bytes; at += a.element_bytes ? a.element_bytes : a.bytes)
            follow(element++, number);
    }

    uint32_t element_bytes() const { return a.element_bytes ? a.element_bytes : a.bytes; }

    void visit_elements(uint64_t address) {
        const uint32_t each = element_bytes();
        for (uint32_t element = 0; element * each < a.bytes; ++element) {
            element_raced = false;
            const uint32_t before = missing;
            for_cells(address + element * each, each, tables.pool, cell_at,
                      [this](Cell& cell, uint64_t at) { visit(cell, at); });
            end_of_cell(address + (element + 1) * each);
            if (element_raced)
                follow(element, report), missing = before;
        }
    }

    /// Some of the bytes have never been written.
    void follow_missing() {
        const Spot first = spot(a.address[lane] + uint32_t(std::countr_zero(missing)));
        const uint32_t number = check.finder_.undefined_load(x, lane, first, missing), each = element_bytes();
        for (uint32_t i = 0; i * each < a.bytes; ++i)
            if (const auto bytes = uint16_t(missing >> i * each & ((1u << each) - 1))) {
                follow(i, number);
                reports.partly[i] |= 1u << lane;
                reports.missing[i][lane] = bytes;
            }
    }

    void look_at(uint32_t which) {
        choose(which);
        report = missing = 0;
        undefined = a.kind == Access::Kind::load || a.kind == Access::Kind::atomic;
        raced = false;
        first_cell = nullptr;
        const uint64_t address = a.address[lane];
        visit_elements(address);
        if (!first_cell)
            return;
        if (writes && a.bytes >= 4)
            unsplit(cell_at, address);
        // An exchange does not depend on the old value: it may well be what initialises the memory.
        if (undefined && writes && !x.op().does(machine::effect::replaces))
            check.finder_.unordered(x, {lane, Role::atomic, spot(address), 0, 0, true, false});
        else if (undefined && !writes)
            follow_all(check.finder_.undefined_load(x, lane, spot(address)));
        else if (missing && a.kind == Access::Kind::load)
            follow_missing();
        else if (speculated && !raced)
            follow_all(check.finder_.speculated_load(x, lane, a.space));
        if (strong && (first_cell->has_clock || check.atomics_.matters(warp, a.semantics)))
            first_cell->has_clock =
                check.atomics_.access(warp, lane, {a.kind, a.semantics, a.scope, pc, first_cell->write_pc}, locations,
                                      address, first_cell->has_clock);
    }
};

template <class Cells>
void AccessCheck::operator()(Exec& x, const Access& a, events::Reports& reports, WarpClock& warp, ShadowTables& tables,
                             LocationClocks& locations, const Cells& cells) const {
    const bool observes = a.kind == Access::Kind::atomic && !x.function->blind[x.fragment().pc];
    const auto look_at = [&](const Access& some) {
        OfWarp<Cells> access{{ordering_, some, warp, tables, x.pc(), observes}, *this, x, reports, locations, cells};
        if (!access.broadcast())
            access.all();
    };
    if constexpr (std::is_same_v<Cells, SharedCells>)
        if (is_ordinary(a) && warp.one_clock() && !is_speculated(x, a)) {
            const uint32_t lanes = not_fine_at_once(ordering_, warp, cells, a, x.pc());
            if (!lanes)
                return;
            Access rest = a;
            rest.mask = lanes;
            return look_at(rest);
        }
    look_at(a);
}

template void AccessCheck::operator()(Exec&, const Access&, events::Reports&, WarpClock&, ShadowTables&,
                                      LocationClocks&, const SharedCells&) const;
template void AccessCheck::operator()(Exec&, const Access&, events::Reports&, WarpClock&, ShadowTables&,
                                      LocationClocks&, const GlobalCells&) const;

} // namespace sim::hazards
