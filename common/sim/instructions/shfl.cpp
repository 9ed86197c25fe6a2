#include "sim/instructions/collective.h"

namespace sim::instructions::shfl {
namespace {

/// The lane that `lane` reads from, by the manual's pseudo code; `valid` is the predicate destination.
struct Source {
    uint32_t lane;
    bool valid;
};
enum class Mode : uint8_t { up, down, bfly, idx };

template <Mode mode>
Source source(uint32_t lane, uint32_t b, uint32_t c) {
    const uint32_t segment = c >> 8 & 31, clamp = c & 31;
    b &= 31;
    const uint32_t first = lane & segment, last = first | (clamp & ~segment);
    const uint32_t from = mode == Mode::up     ? lane - b
                          : mode == Mode::down ? lane + b
                          : mode == Mode::bfly ? lane ^ b
                                               : first | (b & ~segment);
    const bool valid = mode == Mode::up ? int32_t(from) >= int32_t(last) : from <= last;
    return {valid ? from : lane, valid};
}

/// Lanes of x.mask whose source does not take part get an undefined value, which matters once it is used. `members`:
/// the mask of all of them.
[[gnu::noinline]] void follow_values(Exec& x, const Op& op, uint32_t members, const uint32_t* from) {
    const uint32_t pc = x.fragment().pc;
    if (!x.warp.pending.empty())
        x.warp.pending.exchange(x.fragment().frame, op.a, op.d, x.function->writes[pc], x.mask, from);
    if (!x.listener || !op.d.exists())
        return;
    using Why = events::ShuffledFromNobody::Why;
    std::array<uint32_t, 32> report{};
    uint32_t undefined = 0;
    for_lanes(x.mask, [&](int i) {
        const auto lane = uint32_t(i), source = from[lane];
        if ((x.mask | (x.warp.alive() & members)) >> source & 1)
            return; // it takes part, or the wait for it was given up
        const Why why = !(x.warp.population >> source & 1) ? Why::never_existed
                        : x.warp.exited >> source & 1      ? Why::exited
                                                           : Why::not_a_member;
        report[lane] = x.listener->undefined_value(
            x, lane,
            events::ShuffledFromNobody{why, lane, source, members, uint32_t(std::popcount(x.warp.population))});
        undefined |= uint32_t(report[lane] != 0) << lane;
    });
    if (undefined)
        x.warp.pending.mark(x.fragment().frame, op.d, undefined, report);
}

/// Delivers the values: `from` and `valid` by lane.
void deliver(Exec& x, const Op& op, uint32_t members, const uint32_t* from, uint32_t valid) {
    const uint32_t* a = x.lanes<uint32_t>(op.a);
    if (op.d.exists()) {
        uint32_t value[32];
        for (uint32_t lane = 0; lane < 32; ++lane)
            value[lane] = a[from[lane]];
        map_lanes(
            x.mask, x.lanes<uint32_t>(op.d), [](uint32_t v) { return v; }, value);
    }
    x.set_predicate(op.address.base, valid);
    if (x.mask != machine::all_lanes || !x.warp.pending.empty()) [[unlikely]]
        follow_values(x, op, members, from);
    rendezvous(x);
}

template <Mode mode>
Flow shuffle(Exec& x, const Op& op) {
    const uint32_t* members = x.lanes<uint32_t>(op.e);
    return collective(x, op, members, [&](uint32_t) {
        const uint32_t *b = x.lanes<uint32_t>(op.b), *c = x.lanes<uint32_t>(op.c);
        uint32_t from[32], valid = 0;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            const Source source_of = source<mode>(lane, b[lane], c[lane]);
            from[lane] = source_of.lane & 31;
            valid |= uint32_t(source_of.valid) << lane;
        }
        deliver(x, op, members[std::countr_zero(x.mask)], from, valid);
    });
}

/// Where all lanes read from, when the lane operands are constants.
struct Table {
    uint32_t from[32];
    uint32_t valid = 0;
};

Flow shuffle_by_table(Exec& x, const Op& op) {
    const uint32_t* members = x.lanes<uint32_t>(op.e);
    return collective(x, op, members, [&](uint32_t) {
        const auto& table = *static_cast<const Table*>(op.extra);
        deliver(x, op, members[std::countr_zero(x.mask)], table.from, table.valid);
    });
}

template <Mode mode>
Handler pick(Decoder& d) {
    if (mode != Mode::idx)
        d.function().fixed_lanes.push_back({uint32_t(d.index()), d.op.e});
    if (!d.is_immediate(2) || !d.is_immediate(3))
        return shuffle<mode>;
    Table table;
    for (uint32_t lane = 0; lane < 32; ++lane) {
        const Source from = source<mode>(lane, uint32_t(d.immediate(2)), uint32_t(d.immediate(3)));
        table.from[lane] = from.lane & 31;
        table.valid |= uint32_t(from.valid) << lane;
    }
    d.op.extra = d.keep(table);
    if (mode == Mode::idx)
        d.function().fixed_lanes.push_back({uint32_t(d.index()), d.op.e});
    return shuffle_by_table;
}

Handler decode(Decoder& d) {
    const ptx::Operand& out = d.operand(0);
    const bool pair = out.kind == ptx::Operand::Kind::pair;
    const ptx::Operand& value = pair ? out.elements.at(0) : out;
    if (value.kind != ptx::Operand::Kind::sink)
        d.op.d = destination(d, value, 4);
    if (pair)
        d.op.address.base = predicate_destination(d, out.elements.at(1));
    d.op.a = d.read(1, 4);
    d.op.b = d.read(2, 4);
    d.op.c = d.read(3, 4);
    d.op.e = d.read(4, 4);
    const auto mode = d.value(".mode");
    return mode == ".up"     ? pick<Mode::up>(d)
           : mode == ".down" ? pick<Mode::down>(d)
           : mode == ".bfly" ? pick<Mode::bfly>(d)
                             : pick<Mode::idx>(d);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "shfl.sync",
        .syntax = R"(
        shfl.sync.mode.b32 d, a, b, c, membermask;
        .mode = { .up, .down, .bfly, .idx };
)",
        .isa = 60,
        .sm = 30,
        .manual = "data-movement-and-conversion-instructions-shfl-sync",
        .decode = decode,
        .use = Use::exchange,
    },
};

} // namespace sim::instructions::shfl
