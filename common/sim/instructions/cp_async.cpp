#include "sim/instructions/async_operands.h"

#include <fmt/format.h>

namespace sim::instructions::cp_async {
namespace {

// op.width: cp-size; op.a: src-size lanes, if given; op.guard-like predicate op.b: ignore-src.
void find_source_sizes(Exec& x, const Op& op, async::CopyOp& copy) {
    const uint32_t ignored = op.b.exists() ? x.predicate(op.b, op.small) : 0;
    for_lanes(x.mask, [&](int lane) {
        uint32_t size = op.a.exists() ? x.lanes<uint32_t>(op.a)[lane] : op.width;
        if (size > op.width) {
            if (x.listener)
                x.listener->misuse(&x.warp, 1u << lane, &op, events::SourceSizeTooLarge{op.width, size});
            size = (size - 1) % op.width + 1; // measured: docs/fidelity.md
        }
        copy.source_bytes[lane] = ignored >> lane & 1 ? 0 : size;
    });
}

// Alignment is the copy's size; the message names the rule of copies.
bool is_aligned(Exec& x, const Op& op, const AddressRef& address) {
    uint64_t lanes[32];
    x.addresses(address, lanes);
    uint32_t bad = 0;
    for_lanes(x.mask, [&](int lane) { bad |= uint32_t((lanes[lane] & (op.width - 1)) != 0) << lane; });
    if (!bad)
        return true;
    const std::string what =
        fmt::format("the {} address {:#x} of a {}-byte copy is not a multiple of {}",
                    &address == &op.address ? "shared" : "global", lanes[std::countr_zero(bad)], op.width, op.width);
    if (x.listener)
        x.listener->misuse(&x.warp, bad, &op,
                           events::MisalignedCopy{events::MisalignedCopy::Part::address, what + "."});
    x.fail(Fault::misaligned_address, what);
    return false;
}

// A source that is not read may be any address: `reads` are the lanes that read one.
bool resolve_sources(Exec& x, const Op& op, const async::CopyOp& copy, uint32_t reads, Resolved& from) {
    const uint32_t all = x.mask;
    x.mask = reads;
    bool good = true;
    if (reads) {
        uint32_t least = op.width; // bounds are those of the bytes that are read
        for_lanes(reads, [&](int lane) { least = std::min(least, copy.source_bytes[lane]); });
        good = locate(x, op, op.address2, least, 1, Direction::load, from);
        if (good && least != op.width) {
            for_lanes(reads, [&](int lane) {
                if (!good || copy.source_bytes[lane] == least)
                    return;
                Resolved one;
                x.mask = 1u << lane;
                good = locate(x, op, op.address2, copy.source_bytes[lane], 1, Direction::load, one);
            });
        }
    }
    x.mask = all;
    return good;
}

Flow copy(Exec& x, const Op& op) {
    async::CopyOp copy;
    copy.mask = x.mask;
    copy.bytes = op.width;
    find_source_sizes(x, op, copy);
    Resolved to, from;
    if (!is_aligned(x, op, op.address) || !is_aligned(x, op, op.address2) ||
        !locate(x, op, op.address, op.width, op.width, Direction::store, to))
        return Flow::fault;
    uint32_t reads = 0;
    for_lanes(x.mask, [&](int lane) { reads |= uint32_t(copy.source_bytes[lane] != 0) << lane; });
    if (!resolve_sources(x, op, copy, reads, from))
        return Flow::fault;
    if (from.shared || from.local)
        return x.fail(Fault::illegal_instruction, "the source of cp.async must lie in global memory");
    for_lanes(x.mask, [&](int lane) {
        copy.destination[lane] = to.address[lane];
        copy.source[lane] = reads >> lane & 1 ? from.address[lane] : 0;
    });
    async::Engine::of(x.block).issue(x, copy);
    return Flow::next;
}

Handler decode_copy(Decoder& d) {
    const size_t extra = d.operand_count() > 3 && d.operand(3).kind != ptx::Operand::Kind::none ? 1 : 0;
    d.op.address = d.address(0, Space::shared);
    d.op.address2 = d.address(1, Space::global);
    d.op.width = uint32_t(d.immediate(2));
    if (d.op.width != 4 && d.op.width != 8 && d.op.width != 16)
        d.fail("cp.async copies 4, 8 or 16 bytes");
    if (d.has(".cg") && d.op.width != 16)
        d.fail("cp.async.cg copies 16 bytes only");
    if (extra) {
        const ptx::Operand& fourth = d.operand(3);
        const bool is_predicate = fourth.kind == ptx::Operand::Kind::reg && d.register_bytes(fourth, 4) == 0;
        if (is_predicate)
            d.op.b = d.predicate(3, d.op.small);
        else if (fourth.kind == ptx::Operand::Kind::reg ? d.register_bytes(fourth, 4) == 4 : d.is_immediate(3))
            d.op.a = d.read(3, 4);
        // else: a 64-bit cache policy, which has no effect here
    }
    return copy;
}

Flow commit_group(Exec& x, const Op&) {
    async::Engine::of(x.block).commit(x);
    return Flow::next;
}

Flow wait_group(Exec& x, const Op& op) {
    async::Engine::of(x.block).wait(x, op.small);
    return Flow::next;
}

Flow wait_all(Exec& x, const Op&) {
    async::Engine::of(x.block).commit(x);
    async::Engine::of(x.block).wait(x, 0);
    return Flow::next;
}

Handler decode_commit_group(Decoder&) {
    return commit_group;
}
Handler decode_wait_group(Decoder& d) {
    d.op.small = uint32_t(d.immediate(0));
    return wait_group;
}
Handler decode_wait_all(Decoder&) {
    return wait_all;
}

// op.flags: .noinc
Flow arrive_when_complete(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const bool good = for_barriers(x, op, op.address, [&](Block& block, uint32_t offset, uint32_t lanes) {
        if (&block != &x.block)
            return x.fail(Fault::illegal_instruction, "cp.async.mbarrier.arrive needs a barrier of its own block") ==
                   Flow::next;
        async::Engine::of(block).deferred_arrive(x, op, lanes, offset, op.flags);
        return x.fault == Fault::none;
    });
    return good ? Flow::next : Flow::fault;
}

Handler decode_arrive(Decoder& d) {
    d.op.address = barrier_address(d, 0);
    if (d.op.address.space == Space::generic && d.op.address.base.exists() && !d.op.address.wide)
        d.op.address.space =
            Space::shared; // a register of 32 bits, as cuda::ptx passes it: hardware takes it as shared
    d.op.flags = d.has(".noinc");
    return arrive_when_complete;
}

} // namespace

INSTRUCTIONS = {
    {.name = "cp.async",
     .syntax = R"(
        cp.async.ca{.shared_space}.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], cp-size{, src-size}{, cache-policy};
        cp.async.cg{.shared_space}.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], cp-size{, src-size}{, cache-policy};
        .shared_space = { .shared{::cta} };
        .level::cache_hint = { .L2::cache_hint };
        .level::prefetch_size = { .L2::64B, .L2::128B, .L2::256B };
)",
     .isa = 70,
     .sm = 80,
     .manual = "data-movement-and-conversion-instructions-cp-async",
     .decode = decode_copy,
     .use = Use::sink,
     .effects = {{"", effect::copies | effect::copy_group}}},
    {.name = "cp.async.commit_group",
     .syntax = "cp.async.commit_group;",
     .isa = 70,
     .sm = 80,
     .manual = "data-movement-and-conversion-instructions-cp-async-commit-group",
     .decode = decode_commit_group,
     .effects = {{"", effect::copy_group | effect::commits}}},
    {.name = "cp.async.wait_group",
     .syntax = "cp.async.wait_group N;",
     .isa = 70,
     .sm = 80,
     .manual = "data-movement-and-conversion-instructions-cp-async-wait-group",
     .decode = decode_wait_group,
     .effects = {{"", effect::copy_group | effect::waits_for_group}}},
    {.name = "cp.async.wait_all",
     .syntax = "cp.async.wait_all;",
     .isa = 70,
     .sm = 80,
     .manual = "data-movement-and-conversion-instructions-cp-async-wait-group",
     .decode = decode_wait_all,
     .effects = {{"", effect::copy_group | effect::commits | effect::waits_for_group}}},
    {.name = "cp.async.mbarrier.arrive",
     .syntax = "cp.async.mbarrier.arrive{.noinc}{.space}.b64 [addr]; .space = { .shared{::cta} };",
     .isa = 70,
     .sm = 80,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-cp-async-mbarrier-arrive",
     .decode = decode_arrive,
     .use = Use::sink,
     .effects = {{"", effect::copy_group | effect::arrives}, {".noinc", effect::counted}}},
};

} // namespace sim::instructions::cp_async
