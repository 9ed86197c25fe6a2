#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "sim/async/engine.h"
#include "sim/instructions/operands.h"

namespace sim::instructions::barrier {
namespace {

enum class Result : uint8_t { none, count, every, some };

struct BarrierParts {
    OperandRef id, expected; ///< expected does not exist: the whole block
    bool waits = true, aligned = true;
    Result result = Result::none;
    OperandRef predicate;
    uint32_t flip = 0;
};

void finish(Exec& x, const Op& op, const BarrierParts& parts, const NamedBarrier& barrier) {
    if (parts.result == Result::count)
        for_lanes(x.mask, [&](int lane) { x.lanes<uint32_t>(op.d)[lane] = barrier.last_reduction; });
    else if (parts.result == Result::every)
        x.set_predicate(op.d, barrier.last_zeros == 0 ? ~0u : 0);
    else if (parts.result == Result::some)
        x.set_predicate(op.d, barrier.last_reduction ? ~0u : 0);
}

/// Notes that warps of a block meet one barrier at different lines.
void compare_places(Exec& x, const Op& op, NamedBarrier& barrier) {
    if (barrier.arrived == 0)
        barrier.first = &op;
    if (!barrier.first || barrier.first == &op)
        return;
    const auto& ops = x.function->ops;
    const Op* first = std::exchange(barrier.first, nullptr); // once per phase
    if (first < ops.data() || first >= ops.data() + ops.size())
        return;
    const std::string there = x.grid.where(*x.function, uint32_t(first - ops.data()));
    const std::string here = x.grid.where(*x.function, x.fragment().pc);
    if (x.listener && there != here)
        x.listener->misuse(&x.warp, x.mask, &op, events::BarrierAtOtherLine{there});
}

using Part = events::NamedBarrierWrong::Part;

Flow wrong(Exec& x, const Op& op, Part part, uint32_t id, uint32_t count, uint32_t other, std::string what) {
    if (x.listener)
        x.listener->misuse(&x.warp, x.mask, &op, events::NamedBarrierWrong{part, id, count, other, what});
    return x.fail(Fault::illegal_instruction, std::move(what));
}

/// Counts that the hardware takes, and that do not fit the block or the other threads of the phase.
void check_count(Exec& x, const Op& op, uint32_t id, uint32_t count) {
    if (!x.listener)
        return;
    const NamedBarrier& barrier = x.block.barriers[id];
    const auto block = uint32_t(32 * x.block.warps.size());
    if (count > block)
        x.listener->misuse(&x.warp, x.mask, &op,
                           events::NamedBarrierWrong{Part::beyond_block, id, count, x.block.threads, {}});
    else if (barrier.arrived && barrier.expected != count)
        x.listener->misuse(&x.warp, x.mask, &op,
                           events::NamedBarrierWrong{Part::counts_differ, id, count, barrier.expected, {}});
}

/// A warp counts in full at a barrier with an explicit count: lanes that do not exist or have ended count with the
/// first of the others, and those that end later when they do (Warp::exit).
bool counts_for_warp(Exec& x, uint32_t id, bool waits) {
    if (!waits)
        return x.mask >> std::countr_zero(x.warp.alive()) & 1;
    return std::none_of(x.warp.fragments.begin(), x.warp.fragments.end(), [&](const Fragment& other) {
        return other.wait.kind == Wait::Kind::barrier && other.wait.id == id;
    });
}

Flow arrive_and_wait(Exec& x, const Op& op) {
    const auto& parts = *static_cast<const BarrierParts*>(op.extra);
    const int first = std::countr_zero(x.mask);
    const uint32_t id = x.lanes<uint32_t>(parts.id)[first];
    if (id >= x.block.barriers.size())
        return wrong(x, op, Part::number, id, 0, 0,
                     fmt::format("barrier {} does not exist: a block has barriers 0 to 15", id));
    NamedBarrier& barrier = x.block.barriers[id];
    if (x.fragment().wait.arrived) { // woken
        x.fragment().wait.arrived = false;
        finish(x, op, parts, barrier);
        return Flow::next;
    }
    if (held_back(x))
        return Flow::block;
    // Lanes of the warp that have diverged meet here first: the barrier counts warps.
    if (parts.aligned && x.mask != x.warp.alive() && !gather(x, op, x.warp.alive()))
        return Flow::block;
    uint32_t expected = x.block.threads;
    uint32_t beside = 0, beside_at_launch = 0; // lanes that count, too
    const bool counted = parts.expected.exists();
    if (counted) {
        expected = x.lanes<uint32_t>(parts.expected)[first];
        if (expected == 0 || expected % 32)
            return wrong(x, op, Part::count, id, expected, 0,
                         fmt::format("barrier {} for {} threads: the number must be a multiple of 32", id, expected));
        check_count(x, op, id, expected);
        if (counts_for_warp(x, id, parts.waits)) {
            beside = 32 - uint32_t(std::popcount(x.warp.alive()));
            beside_at_launch = 32 - uint32_t(std::popcount(x.warp.population));
        }
        barrier.arrived += beside;
    }
    if (x.grid.log)
        x.grid.log->add(x.warp, x.mask,
                        {.kind = events::BarrierOperation::Kind::block_barrier,
                         .waits = parts.waits,
                         .counted = counted,
                         .pc = x.pc(),
                         .object = id,
                         .amount = expected,
                         .threads = uint32_t(std::popcount(x.mask)) + (parts.waits ? beside_at_launch : beside),
                         .phase = uint32_t(barrier.completions)});
    if (parts.result != Result::none) {
        const uint32_t yes = x.predicate(parts.predicate, parts.flip) & x.mask;
        barrier.reduction += uint32_t(std::popcount(yes));
        barrier.reduction_zeros += uint32_t(std::popcount(x.mask & ~yes));
    }
    if (x.listener)
        x.listener->at_barrier(x);
    if (!parts.waits) {
        barrier.passed += uint32_t(std::popcount(x.mask));
        x.block.arrive(x.warp, x.mask, id, expected, counted);
        return Flow::next;
    }
    if (x.listener && !counted)
        compare_places(x, op, barrier);
    const uint32_t pc = x.fragment().pc;
    if (x.fragment().mask != x.mask)
        x.warp.split(x.fragment_index, x.fragment().mask & ~x.mask, pc + 1);
    Wait& wait = x.fragment().wait;
    wait.kind = Wait::Kind::barrier;
    wait.id = id;
    wait.arrived = true;
    x.block.arrive(x.warp, x.mask, id, expected, counted);
    if (x.fragment().wait.kind != Wait::Kind::none)
        return Flow::block;
    x.fragment().wait.arrived = false;
    finish(x, op, parts, barrier);
    x.fragment().pc = pc + 1;
    return Flow::branch;
}

Handler decode(Decoder& d) {
    BarrierParts parts;
    const bool reduces = d.has(".red");
    size_t next = 0;
    if (reduces) {
        const auto name = d.has(".popc") ? std::string_view(".popc") : d.value(".op");
        parts.result = name == ".popc" ? Result::count : name == ".and" ? Result::every : Result::some;
        d.op.d = parts.result == Result::count ? destination(d, 0, 4) : predicate_destination(d, d.operand(0));
        next = 1;
    }
    parts.id = d.read(next++, 4);
    if (next + (reduces ? 1 : 0) < d.operand_count())
        parts.expected = d.read(next++, 4);
    if (reduces)
        parts.predicate = d.predicate(next, parts.flip);
    parts.waits = !d.has(".arrive");
    parts.aligned = d.op.record->name == "bar" || d.has(".aligned");
    if (!parts.waits && !parts.expected.exists())
        d.fail("barrier.arrive needs the number of threads");
    d.op.extra = d.keep(parts);
    return arrive_and_wait;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "bar",
        .syntax = R"(
        bar{.cta}.sync a{, b};
        bar{.cta}.arrive a, b;
        bar{.cta}.red.popc.u32 d, a{, b}, c;
        bar{.cta}.red.op.pred p, a{, b}, c;
        .op = { .and, .or };
)",
        .isa = 10,
        .sm = 0,
        .manual = "parallel-synchronization-and-communication-instructions-bar",
        .decode = decode,
        .use = Use::sink,
        .effects = {{"", effect::block_barrier},
                    {".sync", effect::waits_at_barrier},
                    {".red", effect::waits_at_barrier | effect::reduces}},
    },
    {
        .name = "barrier",
        .syntax = R"(
        barrier{.cta}.sync{.aligned} a{, b};
        barrier{.cta}.arrive{.aligned} a, b;
        barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, c;
        barrier{.cta}.red.op{.aligned}.pred p, a{, b}, c;
        .op = { .and, .or };
)",
        .isa = 60,
        .sm = 30,
        .manual = "parallel-synchronization-and-communication-instructions-bar",
        .decode = decode,
        .use = Use::sink,
        .effects = {{"", effect::block_barrier},
                    {".sync", effect::waits_at_barrier},
                    {".red", effect::waits_at_barrier | effect::reduces}},
    },
};

} // namespace sim::instructions::barrier
