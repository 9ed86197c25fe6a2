#include <bit>

#include "sim/detector/barrier_memory.h"
#include "sim/detector/trackers.h"

namespace sim::hazards {
namespace {

BulkOp issued_by(Exec& x, int lane) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    BulkOp op;
    op.block = clock.block;
    op.warp = clock.warp;
    op.lane = uint32_t(lane);
    op.pc = x.pc();
    op.tick = clock.tick;
    return op;
}

} // namespace

void BulkTracker::record_read(Issue& issue, Cell& cell, uint32_t words, ReadSets& sets) {
    const WarpClock& clock = WarpState::of(issue.x.warp).clock;
    const Issue::Readers before{cell.reader(), Step(cell.read_step), words};
    if (before == issue.readers)
        return cell.read_by(issue.readers_after.reader, issue.readers_after.step);
    if (!cell.read || cell.read == issue.mine)
        return cell.read_by({issue.mine, 1, issue.pc});
    hazards::record_read(core_.ordering, clock, 1u << issue.lane, cell, sets, issue.mine, issue.pc, one_lane, words);
    issue.readers = before;
    issue.readers_after = {cell.reader(), Step(cell.read_step), words};
}

void BulkTracker::read(Issue& issue, Cell& cell, ReadSets& sets, Spot spot) {
    Exec& x = issue.x;
    if (!issue.last_writes.is_fine(cell.write))
        core_.findings.add(
            core_.explain(x, {issue.lane, Role::async_read, spot, cell.write, cell.write_pc, true, false}));
    record_read(issue, cell, quad_words, sets);
}

template <class Cells>
void BulkTracker::read_all(Issue& issue, uint64_t address, uint32_t bytes, ShadowTables& tables, Cells cells,
                           Block* block) {
    const auto whole = [&](Cell& cell, uint64_t, uint32_t words) {
        if (!issue.last_writes.are_fine(cell, words))
            return false;
        record_read(issue, cell, words, tables.sets);
        return true;
    };
    for_cells(address, bytes, tables.pool, cells, whole, [&](Cell& cell, uint64_t at) {
        read(issue, cell, tables.sets, {block, at});
    });
}

/// The cell's readers are ordered before the copy: remembers them if all lanes of their warp are. A bulk operation has
/// no lanes.
void BulkTracker::note_readers(Issue& issue, const Cell& cell) const {
    if (kind_of(cell.read) == EpochKind::async ||
        (kind_of(cell.read) == EpochKind::plain &&
         Ordering::warp_ordered(WarpState::of(issue.x.warp).clock, issue.lane, cell.read, Proxy::generic)))
        issue.fine_read(cell) = {cell.read, cell.read_pc};
}

bool BulkTracker::readers_are_fine(Issue& issue, const Cell& cell, uint32_t words, const ReadSets& sets,
                                   Proxy proxy) const {
    const WarpClock& clock = WarpState::of(issue.x.warp).clock;
    const auto ordered = [&](Proxy through) {
        return reads_ordered(core_.ordering, clock, issue.lane, cell, sets, through, false, nullptr, words);
    };
    if (!ordered(Proxy::generic) || !(core_.said(issue.pc, cell.read_pc) || ordered(proxy)))
        return false;
    note_readers(issue, cell);
    return true;
}

bool BulkTracker::write_whole(Issue& issue, Cell& cell, uint32_t words, const ReadSets& sets, Proxy proxy) const {
    if (issue.reduction || !issue.last_writes.are_fine(cell, words) ||
        !(issue.readers_are_known(cell) || readers_are_fine(issue, cell, words, sets, proxy)))
        return false;
    cell.wrote(issue.mine, issue.pc);
    return true;
}

/// Are the cell's readers ordered before the copy that writes it? Reports an order through the generic proxy only, once
/// per pair of instructions.
void BulkTracker::check_readers(Issue& issue, const Cell& cell, const ReadSets& sets, Proxy proxy, Spot spot) {
    Exec& x = issue.x;
    const WarpClock& clock = WarpState::of(x.warp).clock;
    Reader bad;
    auto report = [&] {
        const bool unwritten = cell.write == 0;
        core_.findings.add(
            core_.explain(x, {issue.lane, Role::async_write, spot, bad.epoch, bad.pc, false, false, unwritten}));
    };
    if (!reads_ordered(core_.ordering, clock, issue.lane, cell, sets, Proxy::generic, false, &bad)) {
        core_.ordering.bulk.find(number_of(issue.mine))->overruns = true;
        report();
        return;
    }
    note_readers(issue, cell);
    if (!core_.said(x.pc(), cell.read_pc) &&
        !reads_ordered(core_.ordering, clock, issue.lane, cell, sets, proxy, false, &bad)) {
        core_.first_time(x.pc(), cell.read_pc);
        report();
    }
}

void BulkTracker::write(Issue& issue, Cell& cell, const ReadSets& sets, Proxy proxy, Spot spot) {
    Exec& x = issue.x;
    if (issue.reduction && cell.write == 0 && !issue.undefined) {
        issue.undefined = true;
        core_.findings.add(core_.explain(x, {issue.lane, Role::async_write, spot, 0, 0, true, false}));
    }
    if (!issue.last_writes.is_fine(cell.write)) {
        core_.ordering.bulk.find(number_of(issue.mine))->overruns = true;
        core_.findings.add(
            core_.explain(x, {issue.lane, Role::async_write, spot, cell.write, cell.write_pc, true, false}));
    } else if (!issue.readers_are_known(cell)) {
        check_readers(issue, cell, sets, proxy, spot);
    }
    cell.wrote(issue.mine, issue.pc);
}

template <class Cells>
void BulkTracker::write_all(Issue& issue, uint64_t address, uint32_t bytes, ShadowTables& tables, Cells cells,
                            Proxy proxy, Block* block) {
    const auto whole_row = [&](Cell& row, uint64_t) { return write_whole(issue, row, row_words, tables.sets, proxy); };
    for_rows(address, bytes, cells, whole_row, [&](uint64_t begin, uint32_t of_row) {
        bool alike = of_row == row_bytes && !issue.reduction;
        for_quads(begin, of_row, cells, [&](Cell& quad, uint64_t at, uint32_t count) {
            if (count < 16 || quad.split || !write_whole(issue, quad, quad_words, tables.sets, proxy)) {
                for_parts(quad, cells.in_quad(at), at, count, tables.pool, [&](Cell& cell, uint64_t where) {
                    write(issue, cell, tables.sets, proxy, {block, where});
                });
                if (count == 16)
                    tables.pool.join(quad, issue.mine, issue.pc);
            }
            alike = alike && !quad.split && !quad.has_clock && !quad.agreed;
        });
        if (alike)
            cells.rows(begin).join(cells.row(begin), issue.mine, issue.pc, one_lane);
    });
}

void BulkTracker::shared_bytes(Issue& issue, Block& block, uint64_t offset, uint32_t bytes, bool writes, Proxy proxy) {
    SharedShadow& shared = BlockState::of(block).shadow;
    issue.begin(writes, proxy);
    if (writes)
        barrier_memory::write(core_, issue.x, issue.lane, block, offset, bytes, issue.mine, true);
    else
        shared.sets.keep();
    const SharedCells cells{shared};
    writes ? write_all(issue, offset, bytes, shared, cells, proxy, &block)
           : read_all(issue, offset, bytes, shared, cells, &block);
}

void BulkTracker::global_bytes(Issue& issue, uint64_t address, uint32_t bytes, bool writes) {
    memory::Allocation* allocation = core_.memory.find(address);
    if (!watched(allocation))
        return;
    GlobalShadow& global = core_.shadow(*allocation);
    issue.begin(writes, Proxy::async_global);
    const GlobalCells cells{&global, allocation->address};
    writes ? write_all(issue, address, bytes, global, cells, Proxy::async_global, nullptr)
           : read_all(issue, address, bytes, global, cells, nullptr);
}

void BulkTracker::load(Exec& x, const events::BulkLoad& copy) {
    BulkOp op = issued_by(x, copy.lane);
    MbarrierClock& clock = *static_cast<MbarrierClock*>(copy.barrier->kept.get());
    op.barrier = copy.barrier->id;
    op.barrier_block = clock.block;
    op.elsewhere = !copy.from_register && clock.block != BlockState::of(*copy.destination).id;
    op.issued_in = copy.barrier->phase;
    op.announced = !copy.from_register && copy.barrier->expects;
    op.reduction = copy.reduction;
    op.swizzle = copy.map.used ? int(copy.map.swizzle) : -1;
    op.index = copy.index;
    if (copy.index)
        WarpState::of(x.warp).history.bulk_issued = copy.index;
    core_.ordering.bulk.add(op);
    clock.remember({op.block, op.warp, op.lane, op.tick, BulkOps::epoch(copy.number)});
    ++WarpState::of(x.warp).clock.tick; // whoever knows of the copy knows of nothing that the thread does after it
    Issue issue{x, core_.ordering, uint32_t(copy.lane), BulkOps::epoch(copy.number), copy.reduction, x.pc()};
    for (const BulkBytes& piece : copy.bytes) {
        clock.issued_bytes += piece.bytes;
        shared_bytes(issue, *copy.destination, piece.offset, piece.bytes, true,
                     copy.from_register ? Proxy::generic : Proxy::async_shared);
        if (copy.source)
            shared_bytes(issue, *copy.source, piece.address, piece.bytes, false, Proxy::async_shared);
        else if (piece.inside && !copy.from_register)
            global_bytes(issue, piece.address, piece.bytes, false);
    }
}

void BulkTracker::operand(Exec& x, uint32_t lane, uint64_t number, Block& block, std::span<const BulkBytes> bytes) {
    Issue issue{x, core_.ordering, lane, BulkOps::epoch(number), false, x.pc()};
    SharedShadow& shared = BlockState::of(block).shadow;
    const SharedCells cells{shared};
    // Most pieces have 16 bytes, and neighbours come at different times: the row that they cover is read at once.
    const auto one_quad = [&](const BulkBytes& piece) { return piece.bytes == 16 && !cells.in_quad(piece.offset); };
    enum : uint16_t { all_quads = 0xff, looked_at = 0x100, was_read = 0x200 };
    std::vector<uint16_t>& rows = operand_rows_;
    rows.assign(shared.rows, 0);
    for (const BulkBytes& piece : bytes)
        if (one_quad(piece))
            rows[cells.row(piece.offset)] |= uint16_t(1u << cells.in_row(piece.offset) / 16);
    issue.begin(false, Proxy::async_shared);
    for (const BulkBytes& piece : bytes) {
        uint16_t& row = rows[cells.row(piece.offset)];
        if (row == all_quads && one_quad(piece)) {
            Cell& cell = cells.first_row[cells.row(piece.offset)];
            row |= looked_at | (!cell.split && issue.last_writes.are_fine(cell, row_words) ? was_read : 0);
            if (row & was_read)
                record_read(issue, cell, row_words, shared.sets);
        }
        if (!(row & was_read && one_quad(piece)))
            shared_bytes(issue, block, piece.offset, piece.bytes, false, Proxy::async_shared);
    }
    shared.sets.keep();
}

void BulkTracker::store(Exec& x, const events::BulkStore& copy) {
    BulkOp op = issued_by(x, copy.lane);
    op.by_barrier = false;
    op.index = copy.index;
    op.reduction = copy.reduction;
    if (!copy.bytes.empty())
        op.source = copy.bytes[0].offset, op.target = copy.bytes[0].address;
    WarpState::of(x.warp).history.bulk_issued = copy.index;
    core_.ordering.bulk.add(op);
    Issue issue{x, core_.ordering, uint32_t(copy.lane), BulkOps::epoch(copy.number), copy.reduction, x.pc()};
    for (const BulkBytes& piece : copy.bytes) {
        if (!piece.inside)
            continue;
        shared_bytes(issue, x.block, piece.offset, piece.bytes, false, Proxy::async_shared);
        global_bytes(issue, piece.address, piece.bytes, true);
    }
}

void BulkTracker::commit(Warp& warp, uint32_t mask, uint32_t issued) {
    machine::for_lanes(mask, [&](int lane) { WarpState::of(warp).history.bulk_committed[size_t(lane)] = issued; });
}

void BulkTracker::wait(Exec& x, uint32_t mask, const Lanes& upto, bool read_only) {
    WarpState& warp = WarpState::of(x.warp);
    warp.history.last_bulk_wait_pc = x.pc();
    warp.history.last_bulk_wait_copies = warp.history.copies_issued;
    warp.clock.bulk_used = true;
    machine::for_lanes(mask, [&](int i) {
        const auto lane = size_t(i);
        if (!upto[lane])
            BlockState::of(x.block).idle_bulk_waits.add(x.warp.id, lane, x.pc());
        warp.history.bulk_waits[lane] = {x.pc(), warp.history.bulk_issued};
        warp.clock.bulk_read[lane] = std::max(warp.clock.bulk_read[lane], upto[lane]);
        if (!read_only)
            warp.clock.bulk_done[lane] = std::max(warp.clock.bulk_done[lane], upto[lane]);
    });
}

void BulkTracker::landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t expected) {
    if (BulkOp* op = core_.ordering.bulk.find(number)) {
        op->landed = true;
        op->phase = phase;
        op->bytes = bytes;
        op->expected = expected;
    }
}

bool BulkTracker::known(Warp& warp, uint32_t mask, uint64_t number) {
    bool any = false;
    machine::for_lanes(mask, [&](int lane) {
        any = any || core_.ordering.ordered(WarpState::of(warp).clock, uint32_t(lane), BulkOps::epoch(number));
    });
    return any;
}

void BulkTracker::source_outlives(uint64_t number) {
    using What = CopyOutlivesBlock::What;
    const BulkOp* op = core_.ordering.bulk.find(number);
    if (!op)
        return;
    CopyOutlivesBlock facts{op->by_barrier ? What::source_of_load : What::source_of_store};
    if (const WarpState* issuer = op->by_barrier ? nullptr : core_.blocks.warp(op->block, op->warp)) {
        const BulkWait& wait = issuer->history.bulk_waits[op->lane];
        if (wait.pc && wait.issued >= op->index) {
            facts.wait = issuer->history.bulk_committed[op->lane] < op->index ? CopyOutlivesBlock::Wait::uncommitted
                                                                              : CopyOutlivesBlock::Wait::left_pending;
            facts.wait_pc = wait.pc;
        }
    }
    core_.findings.report(facts, core_.places.of(BulkOps::epoch(number), op->pc, {}));
}

void BulkTracker::outlives(Warp& warp, uint64_t number, bool from_peer) {
    using What = CopyOutlivesBlock::What;
    if (const BulkOp* op = core_.ordering.bulk.find(number))
        core_.findings.report(CopyOutlivesBlock{from_peer ? What::destination_in_peer : What::destination,
                                                warp.block.linear, is_store(core_.places, op->pc)},
                              core_.places.of(BulkOps::epoch(number), op->pc, {}));
}

} // namespace sim::hazards
