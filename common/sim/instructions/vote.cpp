#include "sim/instructions/collective.h"

namespace sim::instructions::vote {
namespace {

enum class Mode : uint8_t { all, any, uni, ballot };

template <Mode mode>
Flow vote(Exec& x, const Op& op) {
    return collective(x, op, x.lanes<uint32_t>(op.e), [&](uint32_t) {
        const uint32_t yes = x.predicate(op.a, uint32_t(op.imm)) & x.mask;
        if constexpr (mode == Mode::ballot)
            for_lanes(x.mask, [&](int lane) { x.lanes<uint32_t>(op.d)[lane] = yes; });
        else
            x.set_predicate(op.d, mode == Mode::all   ? (yes == x.mask ? ~0u : 0)
                                  : mode == Mode::any ? (yes ? ~0u : 0)
                                                      : (yes == 0 || yes == x.mask ? ~0u : 0));
        rendezvous(x);
    });
}

Handler decode_vote(Decoder& d) {
    const bool ballot = d.form.index() == 1;
    d.op.d = ballot ? destination(d, 0, 4) : predicate_destination(d, d.operand(0));
    uint32_t flip;
    d.op.a = d.predicate(1, flip);
    d.op.imm = flip;
    d.op.e = d.read(2, 4);
    if (ballot)
        return vote<Mode::ballot>;
    const auto mode = d.value(".mode");
    return mode == ".all" ? vote<Mode::all> : mode == ".any" ? vote<Mode::any> : vote<Mode::uni>;
}

/// match.any: the lanes with the same value. match.all: all lanes if all values are the same, else none.
template <class T, bool all>
Flow match(Exec& x, const Op& op) {
    return collective(x, op, x.lanes<uint32_t>(op.e), [&](uint32_t) {
        const T* a = x.lanes<T>(op.a);
        uint32_t groups[32];
        for_lanes(x.mask, [&](int lane) {
            groups[lane] = 0;
            for_lanes(x.mask, [&](int other) { groups[lane] |= uint32_t(a[other] == a[lane]) << other; });
        });
        const bool same = groups[std::countr_zero(x.mask)] == x.mask;
        if (op.d.exists())
            for_lanes(x.mask, [&](int lane) { x.lanes<uint32_t>(op.d)[lane] = !all || same ? groups[lane] : 0; });
        x.set_predicate(op.address.base, same ? ~0u : 0);
        rendezvous(x);
    });
}

Handler decode_match(Decoder& d) {
    const ptx::Operand& out = d.operand(0);
    const bool all = d.value(".mode") == ".all", pair = out.kind == ptx::Operand::Kind::pair;
    if (pair && !all)
        d.fail("only match.all has a predicate destination");
    const ptx::Operand& value = pair ? out.elements.at(0) : out;
    if (value.kind != ptx::Operand::Kind::sink)
        d.op.d = destination(d, value, 4);
    if (pair)
        d.op.address.base = predicate_destination(d, out.elements.at(1));
    const uint32_t bytes = bytes_of(d.type());
    d.op.a = d.read(1, bytes);
    d.op.e = d.read(2, 4);
    if (bytes == 8)
        return all ? match<uint64_t, true> : match<uint64_t, false>;
    return all ? match<uint32_t, true> : match<uint32_t, false>;
}

Flow active_mask(Exec& x, const Op& op) {
    for_lanes(x.mask, [&](int lane) { x.lanes<uint32_t>(op.d)[lane] = x.mask; });
    return Flow::next;
}

Handler decode_activemask(Decoder& d) {
    d.op.d = destination(d, 0, 4);
    d.function().active_masks.push_back(d.op.d);
    return active_mask;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "vote.sync",
        .syntax = R"(
        vote.sync.mode.pred d, a, membermask;
        vote.sync.ballot.b32 d, a, membermask;
        .mode = { .all, .any, .uni };
)",
        .isa = 60,
        .sm = 30,
        .manual = "parallel-synchronization-and-communication-instructions-vote-sync",
        .decode = decode_vote,
        .use = Use::sink,
    },
    {
        .name = "match",
        .syntax = R"(
        match.mode.sync.type d, a, membermask;
        .mode = { .any, .all };
        .type = { .b32, .b64 };
)",
        .isa = 60,
        .sm = 70,
        .manual = "parallel-synchronization-and-communication-instructions-match-sync",
        .decode = decode_match,
        .use = Use::sink,
    },
    {
        .name = "activemask",
        .syntax = R"(
        activemask.b32 d;
)",
        .isa = 62,
        .sm = 30,
        .manual = "parallel-synchronization-and-communication-instructions-activemask",
        .decode = decode_activemask,
    },
};

} // namespace sim::instructions::vote
