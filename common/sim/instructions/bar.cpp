// bar and barrier: sync, arrive and red, all threads or n of them. bar.x is barrier.x.aligned.
#include "sim/instructions/operands.h"

#include <fmt/format.h>

namespace sim::instructions {
namespace {

enum : uint8_t { aligned = 1, arrives = 2, popc = 4, all = 8, any = 16 };
constexpr uint8_t reduces = popc | all | any;

Flow barrier(Exec& x, const Op& op) {
    Fragment& fragment = x.fragment();
    const uint32_t id = x.lanes<uint32_t>(op.a)[std::countr_zero(x.mask)];
    if (fragment.wait.arrived) { // released
        fragment.wait = {};
        if (op.flags & reduces) {
            const NamedBarrier& b = x.block.barriers[id];
            if (op.flags & popc)
                for_lanes(x.mask, [&](int lane) { x.lanes<uint32_t>(op.d)[lane] = b.last_reduction; });
            else
                x.set_predicate(op.d, (op.flags & all ? b.last_zeros == 0 : b.last_reduction > 0) ? ~0u : 0);
        }
        return Flow::next;
    }
    if (id >= x.block.barriers.size())
        return x.fail(Fault::illegal_instruction, fmt::format("barrier {}: a block has barriers 0 to 15", id));
    uint32_t expected = (x.block.threads + 31) / 32 * 32;
    bool whole_block = true;
    if (op.b.exists()) {
        expected = x.lanes<uint32_t>(op.b)[std::countr_zero(x.mask)];
        whole_block = false;
        if (expected == 0 || expected % 32)
            return x.fail(Fault::illegal_instruction,
                          fmt::format("barrier {} with {} threads: the count must be a multiple of 32", id, expected));
    }
    // All lanes of a warp take part in an aligned barrier; lanes that fell behind catch up first.
    if ((op.flags & aligned) && !gather(x, op, x.warp.alive()))
        return Flow::block;
    if (whole_block)
        expected = x.block.threads;
    else if (expected > x.block.threads && expected - x.block.threads < 32)
        expected = x.block.threads; // the last warp is not full
    if (op.flags & reduces) {
        NamedBarrier& b = x.block.barriers[id];
        const uint32_t value = x.predicate(op.c, op.small) & x.mask;
        b.reduction += uint32_t(std::popcount(value));
        b.reduction_zeros += uint32_t(std::popcount(x.mask & ~value));
    }
    if (op.flags & arrives) {
        x.block.arrive(x.warp, x.mask, id, expected);
        return Flow::next;
    }
    fragment.wait = {};
    fragment.wait.kind = Wait::Kind::barrier;
    fragment.wait.id = id;
    fragment.wait.arrived = true;
    x.block.arrive(x.warp, x.mask, id, expected);
    return Flow::block;
}

Handler decode(Decoder& d) {
    size_t i = 0;
    const bool reduction = d.has(".op");
    if (reduction) {
        if (d.value(".op") == ".popc") {
            d.op.flags = popc;
            d.op.d = destination(d, 0, 4);
        } else {
            d.op.flags = d.value(".op") == ".and" ? all : any;
            d.op.d = predicate_destination(d, d.operand(0));
        }
        i = 1;
    }
    if (d.op.record->name == "bar" || d.has(".aligned"))
        d.op.flags |= aligned;
    if (d.has(".arrive"))
        d.op.flags |= arrives;
    d.op.a = d.read(i++, 4);
    const size_t left = d.operand_count() - i - (reduction ? 1 : 0);
    if (left)
        d.op.b = d.read(i++, 4);
    if (reduction)
        d.op.c = d.predicate(i, d.op.small);
    return barrier;
}

} // namespace

INSTRUCTIONS(bar) = {
    {.name = "bar",
     .syntax = R"(
        bar{.cta}.sync a{, b};
        bar{.cta}.arrive a, b;
        bar{.cta}.red.op.type d, a{, b}{, c};
        .op = { .popc, .and, .or };
        .type = { .u32, .pred };
)",
     .manual = "parallel-synchronization-and-communication-instructions-bar",
     .decode = decode,
     .use = Use::sink},
    {.name = "barrier",
     .syntax = R"(
        barrier{.cta}.sync{.aligned} a{, b};
        barrier{.cta}.arrive{.aligned} a, b;
        barrier{.cta}.red.op{.aligned}.type d, a{, b}{, c};
        .op = { .popc, .and, .or };
        .type = { .u32, .pred };
)",
     .isa = 60,
     .sm = 30,
     .manual = "parallel-synchronization-and-communication-instructions-bar",
     .decode = decode,
     .use = Use::sink},
};

} // namespace sim::instructions
