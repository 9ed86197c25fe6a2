#include "sim/async/mbarrier.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "sim/async/engine.h"

namespace sim::async {

using events::BarrierOperation;
using machine::Exec;
using machine::Op;

/// Do its bytes of shared memory still hold the barrier's own state?
bool Mbarriers::intact(uint32_t offset, const Mbarrier& barrier) const {
    return std::memcmp(&barrier.image, block_.shared.data() + offset, 8) == 0;
}

void Mbarriers::store_image(uint32_t offset, Mbarrier& barrier) {
    barrier.image = uint64_t{0x6d62} << 48 | (barrier.phase & 0xff) << 40 | uint64_t{barrier.pending & 0xfffff} << 20 |
                    (barrier.expected & 0xfffff);
    std::memcpy(block_.shared.data() + offset, &barrier.image, 8);
}

void Mbarriers::init(Exec& x, const Op& op, int lane, uint32_t offset, uint32_t count) {
    auto* listener = block_.grid.listener;
    if (listener && (count == 0 || count > max_barrier_count))
        listener->misuse(&x.warp, 1u << lane, &op, events::BarrierCountOutOfRange{count, max_barrier_count});
    auto& slot = barriers_[offset];
    // Bytes that were cleared to be initialised again are no other use of the memory.
    const auto cleared = [&] {
        return std::all_of(&block_.shared[offset], &block_.shared[offset] + 8,
                           [](std::byte b) { return b == std::byte{}; });
    };
    if (listener && slot && (intact(offset, *slot) || cleared()))
        listener->misuse(&x.warp, 1u << lane, &op, events::LiveBarrierInitialised{name(offset)});
    ended_.erase(offset);
    slot = std::make_unique<Mbarrier>();
    slot->expected = slot->pending = count;
    slot->seen.id = x.grid.next.mbarrier++;
    slot->seen.owner = &block_;
    slot->seen.offset = offset;
    slot->seen.count = count;
    if (listener)
        listener->mbarrier_init(x, lane, slot->seen);
    if (auto* log = block_.grid.log) {
        log->named(block_, slot->seen.id, offset);
        log->add(x.warp, 1u << lane,
                 {.kind = BarrierOperation::Kind::init, .pc = x.pc(), .object = slot->seen.id, .amount = count});
    }
    store_image(offset, *slot);
    ++block_.grid.activity;
}

/// Reports if no mbarrier lives at `offset`, with the reason.
bool Mbarriers::alive(Exec& x, const Op& op, uint32_t mask, uint32_t offset) {
    if (find(offset))
        return true;
    if (auto* listener = block_.grid.listener) {
        const auto ended = ended_.find(offset);
        listener->misuse(
            &x.warp, mask, &op,
            events::BarrierMissing{name(offset), ended == ended_.end() ? "" : ended->second, &x.block != &block_});
    }
    return false;
}

void Mbarriers::invalidate(Exec& x, const Op& op, int lane, uint32_t offset) {
    // libcu++ ends the barriers of a pipeline_shared_state twice: with the last pipeline and with the state itself.
    if (ended_.contains(offset) || !alive(x, op, 1u << lane, offset))
        return;
    use(x, op, 1u << lane, offset);
    if (auto* listener = block_.grid.listener)
        listener->mbarrier_invalidate(x, lane, find(offset)->seen);
    if (auto* log = block_.grid.log)
        log->add(x.warp, 1u << lane,
                 {.kind = BarrierOperation::Kind::inval, .pc = x.pc(), .object = find(offset)->seen.id});
    ended_[offset] = x.grid.where(*x.function, x.fragment().pc);
    barriers_.erase(offset);
}

Mbarrier* Mbarriers::use(Exec& x, const Op& op, uint32_t mask, uint32_t offset) {
    Mbarrier* barrier = find(offset);
    if (!barrier) {
        alive(x, op, mask, offset);
        x.fail(machine::Fault::trap,
               fmt::format("the mbarrier {} {}", name(offset),
                           ended_.contains(offset) ? "was invalidated" : "has not been initialised"));
        return nullptr;
    }
    if (auto* listener = block_.grid.listener) {
        if (!intact(offset, *barrier)) // the listener has seen the store
            store_image(offset, *barrier);
        listener->mbarrier_use(x, mask, barrier->seen);
    }
    return barrier;
}

void Mbarriers::settle(uint32_t offset, Mbarrier& barrier) {
    if (barrier.pending == 0 && barrier.tx == 0) {
        ++barrier.phase;
        barrier.seen.phase = uint32_t(barrier.phase);
        barrier.seen.expects = false;
        barrier.seen.expected_before = barrier.expected_bytes;
        barrier.pending = barrier.expected;
        barrier.arrivals = barrier.added = 0;
        barrier.expected_bytes = barrier.arrived_inside = barrier.arrived_outside = 0;
        if (auto* listener = block_.grid.listener)
            listener->mbarrier_complete(barrier.seen);
        ++block_.wakeups;
    }
    store_image(offset, barrier);
    ++block_.grid.activity;
}

uint64_t Mbarriers::arrive(Exec& x, const Op& op, uint32_t mask, uint32_t offset, Mbarrier& barrier, uint32_t count,
                           bool release) {
    const uint64_t before = token(barrier);
    auto* listener = block_.grid.listener;
    x.grid.statistics.mbarrier_arrives += uint32_t(std::popcount(mask));
    for (uint32_t rest = mask; rest;) {
        // As many lanes as fit into this phase arrive together.
        uint32_t now = 0;
        uint64_t total = 0;
        while (rest && (now == 0 || total + count <= barrier.pending)) {
            now |= rest & -rest;
            rest &= rest - 1;
            total += count;
        }
        if (total > barrier.pending) {
            if (listener)
                listener->misuse(&x.warp, now, &op,
                                 events::ArrivalTooMany{name(offset), barrier.expected, barrier.arrivals, total,
                                                        barrier.tx, barrier.seen.id});
            total = barrier.pending;
        }
        if (listener)
            listener->mbarrier_arrive(x.warp, now, barrier.seen, release);
        barrier.pending -= uint32_t(total);
        barrier.arrivals += uint32_t(total);
        settle(offset, barrier);
    }
    return before;
}

void Mbarriers::check_arrivals(Exec& x, const Op& op, uint32_t mask, const Mbarrier& barrier) {
    const auto lanes = uint32_t(std::popcount(mask));
    auto* listener = block_.grid.listener;
    if (listener && lanes > barrier.expected)
        listener->misuse(&x.warp, mask, &op,
                         events::LanesArriveTogether{name(barrier.seen.offset), lanes, barrier.expected});
}

void Mbarriers::arrive_deferred(uint32_t offset, Mbarrier& barrier, uint32_t count) {
    barrier.arrivals += count;
    barrier.pending -= std::min(barrier.pending, count);
    settle(offset, barrier);
}

void Mbarriers::expect_tx(Mbarrier& barrier, uint32_t offset, int64_t bytes) {
    barrier.tx += bytes;
    barrier.seen.expects = true;
    settle(offset, barrier);
}

bool Mbarriers::can_expect(Exec& x, const Op& op, int lane, const Mbarrier& barrier, int64_t bytes) {
    constexpr int64_t most = max_barrier_count;
    if (std::abs(barrier.tx + bytes) <= most)
        return true;
    const std::string what = fmt::format("the tx-count of an mbarrier would become "
                                         "{}, but it must stay within {} bytes of 0",
                                         barrier.tx + bytes, most);
    if (auto* listener = block_.grid.listener)
        listener->misuse(&x.warp, 1u << lane, &op, events::TxCountOutOfRange{what});
    x.fail(machine::Fault::trap, what);
    return false;
}

bool Mbarriers::complete(const Mbarrier& barrier, uint64_t question) {
    if (question & parity_question)
        return (barrier.phase & 1) != (question & 1);
    // A token distinguishes phases by their parity only (measured: docs/fidelity.md).
    const uint64_t phase = question >> 24;
    return phase < barrier.phase && ((barrier.phase - phase) & 1);
}

std::string Mbarriers::name(uint32_t offset) const {
    const machine::DecodedFunction& kernel = *block_.grid.entry;
    return kernel.module->barrier_name(*kernel.function, offset);
}

std::string Mbarriers::describe(uint32_t offset, bool by_parity) {
    const Mbarrier* barrier = find(offset);
    if (!barrier)
        return "waits on an mbarrier";
    std::string lacks;
    if (barrier->pending)
        lacks = fmt::format("{} of {} arrivals missing", barrier->pending, barrier->expected + barrier->added);
    if (barrier->pending && barrier->added)
        lacks += fmt::format(" (mbarrier.init counts {}; the arrivals of copies, without .noinc, have added {})",
                             barrier->expected, barrier->added);
    if (barrier->tx)
        lacks += fmt::format("{}{} bytes {}", lacks.empty() ? "" : ", ", barrier->tx < 0 ? -barrier->tx : barrier->tx,
                             barrier->tx < 0 ? "more arrived than expected" : "expected but not arrived");
    if (barrier->tx) {
        const uint64_t inside = barrier->arrived_inside, outside = barrier->arrived_outside;
        lacks += fmt::format(" ({} expected in this phase, {} arrived through its copies", barrier->expected_bytes,
                             inside + outside);
        if (outside)
            lacks += fmt::format(", of which {} are outside the tensor{}", outside,
                                 barrier->expected_bytes == inside
                                     ? ": only the bytes inside were expected, but the full box counts"
                                     : " and count as well");
        lacks += ")";
        if (!barrier->remark.empty())
            lacks += ". " + barrier->remark;
    }
    const std::string parity = by_parity ? fmt::format(" (parity {})", barrier->phase & 1) : "";
    return fmt::format("waits on the mbarrier {} in phase {}{}: {}", name(offset), barrier->phase, parity,
                       lacks.empty() ? "nothing is missing" : lacks);
}

uint32_t Mbarriers::phases_in_flight() const {
    uint32_t count = 0;
    for (const auto& [offset, barrier] : barriers_)
        count += barrier->copies > 0;
    return count;
}

} // namespace sim::async
