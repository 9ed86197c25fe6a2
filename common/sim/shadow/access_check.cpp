#include "sim/shadow/access_check.h"

#include <bit>
#include <cstring>

#include "sim/machine/exec.h"
#include "sim/shadow/judgement.h"

namespace sim::hazards {

using events::Access;
using machine::Exec;

namespace {

Role role_of(Access::Kind kind) {
    return kind == Access::Kind::load ? Role::load : kind == Access::Kind::store ? Role::store : Role::atomic;
}

/// An atomic operation to which the old value is nothing: it may well be the one that initialises the memory.
bool exchanges(const machine::Op& op) {
    return op.source && op.source->opcode.find(".exch") != std::string::npos;
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

    const bool speculated = a.kind == Access::Kind::load && x.function->speculated[x.fragment().pc];
    // Of the lane that is looked at:
    bool undefined = false, raced = false;
    bool had_bytes = false; ///< a word that is written as a whole was not accessed as one
    Cell* first_cell = nullptr;
    // Of the element that is looked at: has it raced, and under which number was the last race reported, with which
    // instruction?
    bool element_raced = false;
    uint32_t report = 0, report_pc = 0;
    bool report_wrote = false;

    /// Ordinary accesses, of lanes that know the same.
    bool simple() const { return !strong && !speculated && warp.one_clock(); }

    /// One lane of a simple access. Judges and records it if there is nothing to tell; else it changes nothing and says
    /// false.
    bool nothing_to_tell(uint32_t which) {
        choose(which);
        const uint64_t address = a.address[lane];
        const auto fine = [this](const Cell& cell) {
            return !cell.agreed && (cell.write || writes) && write_is_fine(cell) &&
                   (!writes || reads_are_fine(cell, nullptr));
        };
        const uint32_t begin = cell_at.in_quad(address);
        if (begin % 4 + a.bytes <= 4) {
            Cell& word = tables.pool.split(cell_at(address))[begin / 4];
            if (a.bytes < 4 || word.split)
                return nothing_to_tell_of_bytes(word, begin % 4, fine);
            if (!fine(word))
                return false;
            record(word);
            return true;
        }
        bool all = true;
        for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) { all = all && fine(cell); });
        if (all) {
            for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) { record(cell); });
            if (writes && a.bytes >= 4)
                unsplit(address);
        }
        return all;
    }

    template <class F>
    bool nothing_to_tell_of_bytes(Cell& word, uint32_t first, F&& fine) {
        Cell* const bytes = tables.pool.split(word) + first;
        for (uint32_t i = 0; i < a.bytes; ++i)
            if (!fine(bytes[i]))
                return false;
        if (writes && a.bytes == 4) {
            make_whole(word);
            return true;
        }
        for (uint32_t i = 0; i < a.bytes; ++i)
            record(bytes[i]);
        return true;
    }

    /// A word whose bytes differed has been written.
    void make_whole(Cell& word) {
        tables.pool.unsplit(word);
        word.wrote(mine, pc);
        had_bytes = true;
    }

    /// Do all lanes access words, or more, one after the other?
    bool in_a_row() const {
        uint64_t differing = ~a.mask;
        for (uint64_t i = 0; i < 32; ++i)
            differing |= a.address[i] ^ (a.address[0] + i * a.bytes);
        return !differing;
    }

    /// Do as many lanes as make a quad, from `first` on, access a part of one quad each?
    bool shares_quad(uint32_t first, Step step) const {
        const uint32_t lanes = 4u >> step, all = ((1u << lanes) - 1) << first;
        bool side_by_side = first + lanes <= 32 && (a.mask & all) == all;
        for (uint32_t i = 1; i < lanes && side_by_side; ++i)
            side_by_side = a.address[first + i] == a.address[first] + uint64_t{i} * a.bytes;
        return side_by_side && cell_at.in_quad(a.address[first]) == 0;
    }

    /// One word for all lanes: one visit, if there is nothing to tell. False: nothing was done.
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
                      [&](Cell& cell) { fine = fine && cell.write && all_ordered(cell.write); });
        if (fine)
            for_cells(address, a.bytes, tables.pool, cell_at, [&](Cell& cell) {
                if (cell.read == me)
                    cell.read_mask |= a.mask;
                else
                    record_read(ordering, warp, a.mask, cell, tables.sets, me, pc);
            });
        return fine;
    }

    /// Lanes that access a quad together.
    void lanes_of_quad(uint32_t first, Step step) {
        Cell& cell = cell_at(a.address[first]);
        if (quad(cell, first, step))
            return;
        for (uint32_t i = first; i < first + (4u >> step); ++i)
            one_lane_of_simple(i);
        if (writes && !had_bytes)
            tables.pool.join(cell, me | uint64_t{first} << lane_shift, pc, step);
    }

    void one_lane_of_simple(uint32_t which) {
        if (!nothing_to_tell(which))
            look_at(which);
    }

    void all_lanes_of_simple(Step step) {
        const uint32_t lanes = 4u >> step;
        if (in_a_row()) {
            uint32_t first = 0;
            for (; first < 32 && cell_at.in_quad(a.address[first]); ++first)
                one_lane_of_simple(first);
            while (first + lanes <= 32) {
                const uint64_t address = a.address[first];
                const auto count = uint32_t(cell_at.side_by_side(address, (32 - first) >> (2 - step)));
                const uint32_t done = quick(&cell_at(address), count, first, step);
                first += done * lanes;
                if (done < count) {
                    lanes_of_quad(first, step);
                    first += lanes;
                }
            }
            for (; first < 32; ++first)
                one_lane_of_simple(first);
            return;
        }
        for (uint32_t rest = a.mask; rest;) {
            const auto first = uint32_t(std::countr_zero(rest));
            const bool together = shares_quad(first, step);
            together ? lanes_of_quad(first, step) : one_lane_of_simple(first);
            rest &= ~0u << (first + (together ? lanes : 1) - 1) << 1;
        }
    }

    void all() {
        if (!simple()) {
            for (uint32_t rest = a.mask; rest; rest &= rest - 1)
                look_at(uint32_t(std::countr_zero(rest)));
        } else if (a.bytes == 4 || a.bytes == 8 || a.bytes == 16) {
            all_lanes_of_simple(step_of(a.bytes));
        } else {
            for (uint32_t rest = a.mask; rest; rest &= rest - 1)
                one_lane_of_simple(uint32_t(std::countr_zero(rest)));
        }
    }

    /// Does this store leave what the cell's last write has stored? Or, for a load: did all who may have written it
    /// last store the same?
    bool same_value(const Cell& cell) const {
        if (a.kind == Access::Kind::load)
            return cell.agreed;
        if (a.kind != Access::Kind::store || !a.stored)
            return false;
        const Epoch w = cell.write;
        const std::byte* other = nullptr;
        if (cell.write_pc == pc && block_of(w) == warp.block && warp_of(w) == warp.warp && tick_of(w) == warp.tick &&
            lane_of(w) != lane) {
            // Another lane of this instruction.
            if ((a.mask >> lane_of(w) & 1) && a.address[lane_of(w)] == a.address[lane])
                other = a.stored + size_t{lane_of(w)} * a.bytes;
        } else if (a.target) {
            other = a.target->shared.data() + a.address[lane];
        } else if (const auto* allocation = check.memory_.find(a.address[lane])) {
            other = allocation->data + (a.address[lane] - allocation->address);
        }
        return other && std::memcmp(other, a.stored + size_t{lane} * a.bytes, a.bytes) == 0;
    }

    Spot spot(uint64_t at) const { return {a.space == ptx::Space::shared ? a.target : nullptr, at}; }

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
        const bool fine = write_is_fine(cell), same = (!fine || cell.agreed) && same_value(cell);
        if (!fine)
            found(spot(at), cell.write, cell.write_pc, true, same);
        Reader bad;
        if (writes && !reads_are_fine(cell, &bad))
            found(spot(at), bad.epoch, bad.pc, false, false);
        const bool agreed = same && (!fine || cell.write == mine);
        record(cell);
        if (writes)
            cell.agreed = agreed;
    }

    /// Words that were written as a whole have bytes that are alike again.
    void unsplit(uint64_t address) {
        for_quads(address, a.bytes, cell_at, [&](Cell& quad, uint64_t at, uint32_t bytes) {
            Cell* const words = tables.pool.split(quad);
            const uint32_t begin = cell_at.in_quad(at);
            for (uint32_t i = (begin + 3) / 4; 4 * i + 4 <= begin + bytes; ++i)
                if (words[i].split)
                    make_whole(words[i]);
        });
    }

    void follow(uint32_t element, uint32_t number) {
        if (number && a.kind == Access::Kind::load)
            reports.add(element, lane, number);
    }

    void follow_all(uint32_t number) {
        for (uint32_t at = 0, element = 0; at < a.bytes; at += a.element_bytes ? a.element_bytes : a.bytes)
            follow(element++, number);
    }

    void visit_elements(uint64_t address) {
        const uint32_t each = a.element_bytes ? a.element_bytes : a.bytes;
        for (uint32_t element = 0; element * each < a.bytes; ++element) {
            element_raced = false;
            for_cells(address + element * each, each, tables.pool, cell_at,
                      [this](Cell& cell, uint64_t at) { visit(cell, at); });
            if (element_raced)
                follow(element, report);
        }
    }

    void look_at(uint32_t which) {
        choose(which);
        report = 0;
        undefined = a.kind == Access::Kind::load || a.kind == Access::Kind::atomic;
        raced = false;
        first_cell = nullptr;
        const uint64_t address = a.address[lane];
        visit_elements(address);
        if (!first_cell)
            return;
        if (writes && a.bytes >= 4)
            unsplit(address);
        if (undefined && writes && !exchanges(x.op()))
            check.finder_.unordered(x, {lane, Role::atomic, spot(address), 0, 0, true, false});
        else if (undefined && !writes)
            follow_all(check.finder_.undefined_load(x, lane, spot(address)));
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
                             LocationClocks& locations, Cells cells) const {
    OfWarp<Cells> access{{ordering_, a, warp, tables, x.pc()}, *this, x, reports, locations, cells};
    if (!access.broadcast())
        access.all();
}

template void AccessCheck::operator()(Exec&, const Access&, events::Reports&, WarpClock&, ShadowTables&,
                                      LocationClocks&, SharedCells) const;
template void AccessCheck::operator()(Exec&, const Access&, events::Reports&, WarpClock&, ShadowTables&,
                                      LocationClocks&, GlobalCells) const;

} // namespace sim::hazards
