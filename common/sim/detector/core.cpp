#include "sim/detector/core.h"

#include <algorithm>

#include "sim/shadow/last_write.h"

namespace sim::hazards {
namespace {

constexpr uint32_t said_at_most = 1024; // of a pair of instructions, in one launch: the threads of a block
// A loop that the compiler has unrolled is many pairs of instructions, but a few lines.
constexpr uint32_t said_of_each_pair = 32, said_of_lines_by_threads = 2;

} // namespace

GlobalShadow& Core::shadow(memory::Allocation& allocation) {
    if (!allocation.shadow) {
        // Only cudaMalloc leaves memory undefined; everything else starts with a value.
        const bool undefined = allocation.kind == memory::AllocationKind::device;
        const Epoch initial = undefined ? 0 : Epoch(EpochKind::old) << kind_shift;
        allocation.shadow = std::make_unique<GlobalShadow>(allocation.bytes, initial);
    }
    return *static_cast<GlobalShadow*>(allocation.shadow.get());
}

Place Core::here(Exec& x, uint32_t mask, std::string action) const {
    Place place = places.at(x.pc(), std::move(action));
    place.threads.add(x.block.linear, x.warp.id * 32, mask);
    return place;
}

bool Core::said_enough(uint32_t pc, uint32_t other_pc) {
    return ++said_[uint64_t{pc} << 32 | other_pc] > said_at_most;
}

bool Core::said_enough_of_lines(uint32_t pc, uint32_t other_pc, uint64_t thread, Epoch other) {
    if (said_[uint64_t{pc} << 32 | other_pc] <= said_of_each_pair)
        return false;
    const auto line_of = [&](uint32_t at) {
        const auto [known, is_new] = lines_.try_emplace(at);
        if (is_new)
            known->second = places.kernel_line(at);
        return known->second;
    };
    return ++said_of_lines_[{line_of(pc), line_of(other_pc), thread, other & thread_field}] > said_of_lines_by_threads;
}

std::optional<Finding> Core::explain(const Warp& by, uint32_t pc, const Unordered& accesses) {
    // Reads whose values may be dropped must not use up the report limit of the others.
    const bool dropped = !accesses.other_wrote && held.may_be_dropped(accesses.other, accesses.other_pc);
    const uint32_t other = dropped ? ~accesses.other_pc : accesses.other_pc;
    const uint64_t thread = by.block.linear << 10 | (by.id * 32 + accesses.lane);
    if (said_enough(pc, other) || said_enough_of_lines(pc, other, thread, accesses.other))
        return std::nullopt;
    const WarpState& warp = WarpState::of(by);
    Place place = places.at(pc, {});
    place.threads.add(by.block.linear, by.id * 32, 1u << accesses.lane);
    if (held.settle(warp, pc, accesses, place))
        return std::nullopt;
    std::optional<Place> there;
    if (accesses.other || accesses.other_pc)
        there = places.of(accesses.other, accesses.other_pc, {});
    const Conflict conflict(context, warp, pc, accesses);
    if (conflict.other_is_host() && (ordering.operations.current().talks || may_signal_host(pc)))
        return std::nullopt;
    return findings.explain(conflict, std::move(place), std::move(there));
}

void Core::check_read(Exec& x, uint32_t lane, const Cell& cell, Role role, Proxy proxy, Spot spot) {
    if (!last_write_is_fine(ordering, WarpState::of(x.warp).clock, lane, cell.write, {proxy}))
        findings.add(explain(x, {lane, role, spot, cell.write, cell.write_pc, true, false}));
}

void Core::check_write(Exec& x, uint32_t lane, const Cell& cell, const ReadSets& sets, Role role, Proxy proxy,
                       Spot spot) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    if (!last_write_is_fine(ordering, clock, lane, cell.write, {proxy})) {
        findings.add(explain(x, {lane, role, spot, cell.write, cell.write_pc, true, false}));
        return;
    }
    Reader bad;
    if (!reads_ordered(ordering, clock, lane, cell, sets, proxy, false, &bad))
        findings.add(explain(x, {lane, role, spot, bad.epoch, bad.pc, false, false}));
}

bool Core::may_signal_host(uint32_t pc) const {
    const auto* function = places.function_at(pc);
    const size_t at = function ? pc - function->first_pc : SIZE_MAX;
    if (!function || at >= function->ops.size() || !function->ops[at].source)
        return false;
    const std::string_view code = function->ops[at].source->opcode;
    return code.find(".volatile") != code.npos || code.find(".sys") != code.npos || code.find(".mmio") != code.npos;
}

void Core::check_lifetime(const memory::Allocation& allocation, std::string by, Place here) {
    const memory::Lifetime& lifetime = *allocation.lifetime;
    const Operation& now = ordering.operations.current();
    const auto unordered = [&](uint64_t operation) {
        return now.order && std::ranges::binary_search(now.order->unordered, operation);
    };
    using When = OutsideLifetime::When;
    Place there;
    if (lifetime.freed_by) {
        const When when = unordered(lifetime.freed_by) ? When::around_free : When::after_free;
        there.site = lifetime.freed_at;
        if (outside_lifetime_.insert(now.id * 31 ^ allocation.address).second)
            findings.report(OutsideLifetime{when, std::move(by), allocation.freed_by}, std::move(here),
                            std::move(there));
        return;
    }
    if (lifetime.allocated_by != memory::Lifetime::pending && !unordered(lifetime.allocated_by))
        return;
    there.site = lifetime.allocated_at;
    if (outside_lifetime_.insert(now.id * 31 ^ allocation.address).second)
        findings.report(OutsideLifetime{When::before, std::move(by), {}}, std::move(here), std::move(there));
}

void Core::launch_begin() {
    held.launch_begin();
    barriers.clear();
    said_.clear();
    said_of_lines_.clear();
    lines_.clear();
    said_once_.clear();
}

} // namespace sim::hazards
