#include "sim/async/mbarrier.h"

#include <bit>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "sim/async/engine.h"

namespace sim::async {

using machine::Exec;
using machine::Op;

namespace {

hazards::Detector* detector(machine::Block& block) {
    return static_cast<hazards::Detector*>(block.grid.observer);
}

} // namespace

void Mbarriers::store_image(uint32_t offset, Mbarrier& barrier) {
    barrier.image = uint64_t{0x6d62} << 48 | (barrier.phase & 0xff) << 40 | uint64_t{barrier.pending & 0xfffff} << 20 |
                    (barrier.expected & 0xfffff);
    std::memcpy(block_.shared.data() + offset, &barrier.image, 8);
}

void Mbarriers::init(Exec& x, const Op& op, int lane, uint32_t offset, uint32_t count) {
    auto* watcher = detector(block_);
    if (watcher && (count == 0 || count > max_barrier_count))
        watcher->report(x, op, 1u << lane, "barrier-overflow",
                        fmt::format("initialise an mbarrier with count {}", count),
                        fmt::format("The count of an mbarrier is 1 to {}.", max_barrier_count));
    auto& slot = barriers_[offset];
    if (watcher && slot) {
        uint64_t now;
        std::memcpy(&now, block_.shared.data() + offset, 8);
        if (now == slot->image)
            watcher->report(
                x, op, 1u << lane, "barrier-reinitialised", "initialise an mbarrier that is in use",
                "The object at this address is a live mbarrier: its waiters and pending arrivals are lost.");
    }
    ended_.erase(offset);
    slot = std::make_unique<Mbarrier>();
    slot->expected = slot->pending = count;
    if (watcher)
        watcher->mbarrier_init(x, op, lane, block_, offset, slot->clock);
    store_image(offset, *slot);
    ++block_.grid.activity;
}

/// Reports if no mbarrier lives at `offset`, with the reason.
bool Mbarriers::alive(Exec& x, const Op& op, uint32_t mask, uint32_t offset) {
    if (find(offset))
        return true;
    if (auto* watcher = detector(block_)) {
        const auto ended = ended_.find(offset);
        if (ended == ended_.end())
            watcher->report(x, op, mask, "barrier-uninitialised", "use an mbarrier that is not initialised",
                            "No mbarrier.init has been executed for this address.");
        else
            watcher->report(
                x, op, mask, "barrier-uninitialised", "use an mbarrier that exists no more",
                fmt::format("It was invalidated at {} (the destructor of a cuda::barrier does so).", ended->second),
                "Let every thread reach a barrier after its last use and before it is destroyed.");
    }
    return false;
}

void Mbarriers::invalidate(Exec& x, const Op& op, int lane, uint32_t offset) {
    // libcu++ ends the barriers of a pipeline_shared_state twice: with the last pipeline and with the state itself.
    if (ended_.contains(offset) || !alive(x, op, 1u << lane, offset))
        return;
    use(x, op, 1u << lane, offset);
    if (auto* watcher = detector(block_))
        watcher->mbarrier_invalidate(x, op, lane, block_, offset);
    ended_[offset] = x.grid.where(*x.function, x.fragment().pc);
    barriers_.erase(offset);
}

Mbarrier* Mbarriers::find(uint32_t offset) {
    auto it = barriers_.find(offset);
    return it == barriers_.end() ? nullptr : it->second.get();
}

Mbarrier* Mbarriers::use(Exec& x, const Op& op, uint32_t mask, uint32_t offset) {
    if (!alive(x, op, mask, offset)) {
        x.fail(machine::Fault::trap,
               fmt::format("the mbarrier at shared address {} {}", offset - machine::reserved_shared,
                           ended_.contains(offset) ? "was invalidated" : "has not been initialised"));
        return nullptr;
    }
    Mbarrier* barrier = find(offset);
    if (auto* watcher = detector(block_)) {
        uint64_t now;
        std::memcpy(&now, block_.shared.data() + offset, 8);
        if (now != barrier->image) {
            watcher->report(x, op, mask, "barrier-reinitialised", "use an mbarrier whose bytes were overwritten",
                            "Something has stored to the 8 bytes of this mbarrier since it was initialised.");
            store_image(offset, *barrier);
        }
        watcher->mbarrier_use(x, op, mask, block_, offset, barrier->clock);
    }
    return barrier;
}

void Mbarriers::settle(uint32_t offset, Mbarrier& barrier) {
    if (barrier.pending == 0 && barrier.tx == 0) {
        ++barrier.phase;
        barrier.clock.expects = false;
        barrier.pending = barrier.expected;
        barrier.arrivals = barrier.added = 0;
        barrier.expected_bytes = barrier.arrived_inside = barrier.arrived_outside = 0;
        if (auto* watcher = detector(block_))
            watcher->mbarrier_complete(barrier.clock, uint32_t(barrier.phase));
        ++block_.wakeups;
    }
    store_image(offset, barrier);
    ++block_.grid.activity;
}

uint64_t Mbarriers::arrive(Exec& x, const Op& op, uint32_t mask, uint32_t offset, Mbarrier& barrier, uint32_t count,
                           bool release) {
    const uint64_t before = token(barrier);
    auto* watcher = detector(block_);
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
            if (watcher)
                watcher->report(
                    x, op, now, "barrier-overflow", "arrive at an mbarrier phase that lacks no more arrivals",
                    fmt::format("The barrier expects {} arrivals in a phase; {} have been made and {} more come "
                                "here{}.",
                                barrier.expected, barrier.arrivals, total,
                                barrier.tx ? fmt::format(", while {} bytes are outstanding", barrier.tx) : ""));
            total = barrier.pending;
        }
        if (watcher)
            watcher->mbarrier_arrive(x.warp, now, barrier.clock, release);
        barrier.pending -= uint32_t(total);
        barrier.arrivals += uint32_t(total);
        settle(offset, barrier);
    }
    return before;
}

void Mbarriers::check_arrivals(Exec& x, const Op& op, uint32_t mask, const Mbarrier& barrier) {
    const auto lanes = uint32_t(std::popcount(mask));
    auto* watcher = detector(block_);
    if (watcher && lanes > barrier.expected)
        watcher->report(x, op, mask, "barrier-overflow", "arrive together at an mbarrier",
                        fmt::format("{} lanes arrive here, and a phase of the mbarrier has only {} arrival{}: they end "
                                    "several phases at once, for which nobody can wait.",
                                    lanes, barrier.expected, barrier.expected == 1 ? "" : "s"),
                        "Let one thread arrive, or let mbarrier.init count every thread that arrives in a phase.");
}

void Mbarriers::arrive_deferred(uint32_t offset, Mbarrier& barrier, uint32_t count) {
    barrier.arrivals += count;
    barrier.pending -= std::min(barrier.pending, count);
    settle(offset, barrier);
}

void Mbarriers::expect_tx(Mbarrier& barrier, uint32_t offset, int64_t bytes) {
    barrier.tx += bytes;
    barrier.clock.expects = true;
    settle(offset, barrier);
}

bool Mbarriers::can_expect(Exec& x, const Op& op, int lane, const Mbarrier& barrier, int64_t bytes) {
    constexpr int64_t most = max_barrier_count;
    if (std::abs(barrier.tx + bytes) <= most)
        return true;
    const std::string what = fmt::format("the tx-count of an mbarrier would become {}; it lies within {} bytes of 0",
                                         barrier.tx + bytes, most);
    if (auto* watcher = detector(block_))
        watcher->report(x, op, 1u << lane, "barrier-overflow", "expect more bytes than an mbarrier counts", what + ".",
                        "Expect and wait for less at a time, or use several barriers.");
    x.fail(machine::Fault::trap, what);
    return false;
}

bool Mbarriers::complete(const Mbarrier& barrier, uint64_t question) {
    if (question & parity_question)
        return (barrier.phase & 1) != (question & 1);
    // A token tells phases apart by their parity only (measured: docs/fidelity.md).
    const uint64_t phase = question >> 24;
    return phase < barrier.phase && ((barrier.phase - phase) & 1);
}

std::string Mbarriers::describe(uint32_t offset) {
    const Mbarrier* barrier = find(offset);
    if (!barrier)
        return "waits on an mbarrier";
    std::string lacks;
    if (barrier->pending)
        lacks = fmt::format("{} of {} arrivals missing", barrier->pending, barrier->expected + barrier->added);
    if (barrier->pending && barrier->added)
        lacks += fmt::format(" (mbarrier.init counts {}, and arrivals of copies, without .noinc, have added {})",
                             barrier->expected, barrier->added);
    if (barrier->tx)
        lacks += fmt::format("{}{} bytes {}", lacks.empty() ? "" : ", ", barrier->tx < 0 ? -barrier->tx : barrier->tx,
                             barrier->tx < 0 ? "more arrived than expected" : "expected and not arrived");
    if (barrier->tx) {
        const uint64_t inside = barrier->arrived_inside, outside = barrier->arrived_outside;
        lacks += fmt::format(" ({} expected in this phase, {} brought by its copies", barrier->expected_bytes,
                             inside + outside);
        if (outside)
            lacks += fmt::format(", of which {} lie outside the tensor{}", outside,
                                 barrier->expected_bytes == inside
                                     ? ": the bytes inside were expected, but the full box counts"
                                     : " and count, too");
        lacks += ")";
        if (!barrier->remark.empty())
            lacks += ". " + barrier->remark;
    }
    return fmt::format("waits on the mbarrier at shared address {}, in phase {} (parity {}): {}",
                       offset - machine::reserved_shared, barrier->phase, barrier->phase & 1,
                       lacks.empty() ? "nothing is missing" : lacks);
}

uint32_t Mbarriers::phases_in_flight() const {
    uint32_t count = 0;
    for (const auto& [offset, barrier] : barriers_)
        count += barrier->copies > 0;
    return count;
}

} // namespace sim::async
