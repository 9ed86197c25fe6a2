#include "sim/async/bulk_copy.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "sim/async/engine.h"
#include "sim/machine/names.h"

namespace sim::async {

using machine::Exec;
using machine::for_lanes;
using machine::Schedule;
using machine::Warp;

BulkCopies::BulkCopies(machine::Block& block)
    : block_(block), warps_(block.warps.size()), when_(block.grid.options.schedule.completion) {}

void report_gone(machine::Block& block, const Issuer& issuer, std::string_view verb, uint64_t address, uint64_t bytes) {
    machine::Grid& grid = block.grid;
    if (!grid.outcome()) // the first one is enough
        return;
    const memory::Allocation* gone = grid.memory.find(address);
    const std::string name = gone ? machine::global_name(grid, *gone, address) : "";
    const std::string place = name.empty() ? fmt::format("{:#x}", address) : name;
    const std::string by = gone && !gone->freed_by.empty() ? gone->freed_by : "the host";
    grid.lose_copy(block, issuer.warp, issuer.lane, issuer.pc,
                   fmt::format("an asynchronous copy of thread {} of block {} {} {} bytes at {}, but {} has freed them "
                               "before the copy was complete",
                               issuer.warp * 32 + issuer.lane, block.linear, verb, bytes, place, by),
                   gone);
}

// --- copies that complete on an mbarrier ----------------------------------------------------------------------------

void BulkCopies::load(BulkLoad copy) {
    auto& statistics = block_.grid.statistics;
    if (copy.data.empty()) // else threads store it
        (copy.tensor ? statistics.tensor_load_bytes : statistics.bulk_load_bytes) += copy.bytes;
    if (copy.tensor) // the thread's next group contains the reading of its map
        ++warps_[copy.issuer.warp].issued;
    Mbarriers& barriers = Engine::of(*copy.barrier_block).barriers();
    if (Mbarrier* barrier = barriers.find(copy.barrier)) {
        ++barrier->copies;
        if (auto* log = block_.grid.log)
            copy.logged = log->add(*block_.warps[copy.issuer.warp], 1u << copy.issuer.lane,
                                   {.kind = events::BarrierOperation::Kind::issue,
                                    .pc = copy.issuer.pc,
                                    .object = barrier->seen.id,
                                    .bytes = int64_t(copy.bytes),
                                    .phase = uint32_t(barrier->phase)});
    }
    if (copy.source == &block_ && copy.destination != &block_)
        sent_.push_back(copy.number);
    const auto* conductor = block_.grid.conductor;
    if (when_ == Schedule::Completion::eager && !(conductor && conductor->holds(copy.logged))) {
        land(copy);
        return;
    }
    if (!copy.reduce)
        for (const Piece& piece : copy.pieces)
            std::memset(copy.destination->shared.data() + piece.offset, memory::poison, piece.bytes);
    statistics.max_phases_in_flight = std::max(statistics.max_phases_in_flight, barriers.phases_in_flight());
    loads_.push_back(std::move(copy));
}

void BulkCopies::land(BulkLoad& copy) {
    for (const Piece& piece : copy.pieces) {
        std::byte* to = copy.destination->shared.data() + piece.offset;
        const std::byte* from = nullptr;
        if (copy.source)
            from = copy.source->shared.data() + piece.address;
        else if (!copy.data.empty())
            from = copy.data.data();
        else if (piece.inside && !(from = source_of(block_, copy.issuer, piece.address, piece.bytes)))
            break;
        if (copy.reduce)
            copy.reduce(to, from, piece.bytes);
        else if (from)
            std::memcpy(to, from, piece.bytes);
        if (from && copy.convert)
            copy.convert(to, piece.bytes);
        if (!from)
            for (uint32_t i = 0; i < piece.bytes; ++i)
                to[i] = copy.fill[i % copy.fill.size()];
    }
    Mbarriers& barriers = Engine::of(*copy.barrier_block).barriers();
    if (Mbarrier* barrier = barriers.find(copy.barrier)) {
        barrier->copies -= barrier->copies > 0;
        const auto log_landing = [&](const Mbarrier& on, int64_t part) {
            if (auto* log = block_.grid.log)
                log->landed(block_, copy.logged,
                            {.kind = events::BarrierOperation::Kind::land,
                             .object = on.seen.id,
                             .bytes = part,
                             .phase = uint32_t(on.phase)});
        };
        auto bytes = int64_t(copy.bytes);
        const auto expected = barrier->tx;
        for (const Piece& piece : copy.pieces)
            (piece.inside ? barrier->arrived_inside : barrier->arrived_outside) += piece.bytes;
        // complete_tx may come in pieces: a phase that expects fewer bytes completes before the whole copy has landed.
        // (Not if it expects all bytes but those outside the tensor: an H100 hangs then.)
        const bool inside_expected = barrier->arrived_outside && barrier->expected_bytes == barrier->arrived_inside;
        if (barrier->pending == 0 && barrier->tx > 0 && barrier->tx < bytes && !inside_expected) {
            bytes -= barrier->tx;
            log_landing(*barrier, barrier->tx);
            barriers.complete_tx(*barrier, copy.barrier, barrier->tx);
        }
        if (auto* observer = Engine::of(block_).listener())
            observer->bulk_landed(copy.number, uint32_t(barrier->phase), copy.bytes, expected);
        if (!copy.remark.empty())
            barrier->remark = copy.remark;
        log_landing(*barrier, bytes);
        barriers.complete_tx(*barrier, copy.barrier, bytes);
    }
    ++block_.grid.activity;
}

// --- copies in bulk async-groups ------------------------------------------------------------------------------------

void BulkCopies::store(Exec& x, BulkStore copy) {
    auto& statistics = x.grid.statistics;
    for (const Piece& piece : copy.pieces)
        (copy.tensor ? statistics.tensor_store_bytes : statistics.bulk_store_bytes) += piece.inside ? piece.bytes : 0;
    WarpBulk& warp = warps_[x.warp.id];
    copy.index = ++warp.issued;
    if (Engine::of(block_).listener())
        warp.unwaited.push_back({copy.number, copy.issuer.lane, copy.index});
    if (when_ == Schedule::Completion::eager) {
        read_source(copy);
        land(copy);
        return;
    }
    warp.in_flight.push_back(std::move(copy));
}

void BulkCopies::read_source(BulkStore& copy) {
    if (copy.read)
        return;
    copy.read = true;
    for (const Piece& piece : copy.pieces) {
        const std::byte* from = block_.shared.data() + piece.offset;
        copy.data.insert(copy.data.end(), from, from + piece.bytes);
    }
}

void BulkCopies::land(BulkStore& copy) {
    const std::byte* from = copy.data.data();
    for (const Piece& piece : copy.pieces) {
        if (piece.inside) {
            std::byte* to = memory_of(block_, copy.issuer, "writes", piece.address, piece.bytes);
            if (!to)
                break;
            if (copy.reduce)
                copy.reduce(to, from, piece.bytes);
            else
                std::memcpy(to, from, piece.bytes);
        }
        from += piece.bytes;
    }
    ++block_.grid.activity;
}

void BulkCopies::commit(Exec& x) {
    WarpBulk& warp = warps_[x.warp.id];
    if (warp.commits.size() > 4096)
        warp.commits.erase(warp.commits.begin(), warp.commits.begin() + 2048);
    warp.commits.push_back({warp.issued, x.mask});
    if (auto* observer = Engine::of(block_).listener())
        observer->bulk_commit(x.warp, x.mask, warp.issued);
}

void BulkCopies::wait(Exec& x, uint32_t n, bool read_only) {
    WarpBulk& warp = warps_[x.warp.id];
    const Lanes upto = waited_for(warp.commits, x.mask, n);
    std::erase_if(warp.unwaited, [&](const WarpBulk::Unwaited& copy) {
        return (x.mask >> copy.lane & 1) && copy.index <= upto[copy.lane];
    });
    for (auto& copy : warp.in_flight)
        if ((x.mask >> copy.issuer.lane & 1) && copy.index <= upto[copy.issuer.lane]) {
            read_source(copy);
            if (!read_only)
                land(copy);
        }
    if (!read_only)
        std::erase_if(warp.in_flight, [&](const BulkStore& copy) {
            return (x.mask >> copy.issuer.lane & 1) && copy.index <= upto[copy.issuer.lane];
        });
    if (auto* observer = Engine::of(block_).listener())
        observer->bulk_wait(x, x.mask, upto, read_only);
}

const BulkLoad* BulkCopies::in_flight_to(const machine::Block& block) const {
    for (const auto& copy : loads_)
        if (copy.destination == &block)
            return &copy;
    return nullptr;
}

void BulkCopies::lanes_exit(Warp& warp, uint32_t mask) {
    if (auto* observer = Engine::of(block_).listener(); observer && !sent_.empty())
        std::erase_if(sent_, [&](uint64_t number) { return observer->bulk_known(warp, mask, number); });
}

std::vector<uint64_t> BulkCopies::unwaited(const Warp& warp, uint32_t mask) const {
    std::vector<uint64_t> numbers;
    for (const auto& copy : warps_[warp.id].unwaited)
        if (mask >> copy.lane & 1)
            numbers.push_back(copy.number);
    return numbers;
}

// --- when nothing else runs -----------------------------------------------------------------------------------------

bool BulkCopies::progress() {
    if (loads_.empty())
        return false;
    // Nothing orders copies, so where one warp runs far ahead, the youngest copy does, too.
    const bool youngest = block_.grid.options.schedule.warps == Schedule::Warps::one_ahead;
    BulkLoad copy = std::move(youngest ? loads_.back() : loads_.front());
    if (youngest)
        loads_.pop_back();
    else
        loads_.pop_front();
    land(copy);
    return true;
}

bool BulkCopies::land(uint64_t logged) {
    const auto found = std::ranges::find(loads_, logged, &BulkLoad::logged);
    if (found == loads_.end())
        return false;
    BulkLoad copy = std::move(*found);
    loads_.erase(found);
    land(copy);
    return true;
}

void BulkCopies::tick() {
    auto& random = block_.grid.random;
    if (!loads_.empty() && random() % 2) {
        const size_t which = random() % loads_.size();
        BulkLoad copy = std::move(loads_[which]);
        loads_.erase(loads_.begin() + long(which));
        land(copy);
    }
    for (auto& warp : warps_)
        if (!warp.in_flight.empty() && random() % 4 == 0)
            read_source(warp.in_flight[random() % warp.in_flight.size()]);
}

void BulkCopies::block_end() {
    for (auto& warp : warps_) // the grid does not end before its stores have been made
        for (auto& copy : warp.in_flight) {
            read_source(copy);
            land(copy);
        }
    for (auto& copy : loads_)
        land(copy);
    loads_.clear();
}

} // namespace sim::async
