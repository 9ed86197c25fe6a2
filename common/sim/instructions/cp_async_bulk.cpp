// cp.async.bulk and cp.reduce.async.bulk, 1D, in every direction.
#include <algorithm>
#include <bit>

#include "sim/instructions/bulk_operands.h"

namespace sim::instructions::cp_async_bulk {
namespace {

/// Operands beyond those of Op.
struct Bulk {
    AddressRef barrier;
    OperandRef cta_mask;                    ///< .multicast::cluster
    OperandRef policy;                      ///< .L2::cache_hint
    OperandRef byte_mask;                   ///< .cp_mask: which bytes of each 16 are copied
    OperandRef ignored_left, ignored_right; ///< .ignore_oob: bytes at the ends that are not copied
    bool own = false;                       ///< .shared::cta: the destination is the block's own
    async::Reduce reduce = nullptr;
};

const Bulk& bulk_of(const Op& op) {
    return *static_cast<const Bulk*>(op.extra);
}

struct Ends {
    Resolved to, from;
    uint32_t bytes = 0;
    uint32_t left = 0, right = 0; ///< of them, bytes at the ends that are not copied
};

/// .ignore_oob: reads how many bytes at the ends are not copied.
bool read_ignored(Exec& x, const Bulk& bulk, int lane, Ends& ends) {
    if (!bulk.ignored_left.exists())
        return true;
    ends.left = x.lanes<uint32_t>(bulk.ignored_left)[lane];
    ends.right = x.lanes<uint32_t>(bulk.ignored_right)[lane];
    if (ends.left <= 15 && ends.right <= 15)
        return true;
    return x.fail(Fault::illegal_instruction,
                  fmt::format("a bulk copy ignores {} bytes on the left and {} on the right: each is 0 to 15",
                              ends.left, ends.right)) == Flow::next;
}

// Checks sizes, alignment and bounds of one lane's copy; 0 bytes copy nothing.
bool resolve_ends(Exec& x, const Op& op, int lane, Ends& ends) {
    ends.bytes = x.lanes<uint32_t>(op.a)[lane];
    if (!read_ignored(x, bulk_of(op), lane, ends))
        return false;
    const uint32_t read = ends.bytes > ends.left + ends.right ? ends.bytes - ends.left - ends.right : 0;
    uint64_t to[32], from[32];
    x.addresses(op.address, to);
    x.addresses(op.address2, from);
    return aligned_copy(x, op, to[lane] | from[lane] | ends.bytes, 16,
                        fmt::format("a bulk copy of {} bytes from {:#x} to {:#x}: "
                                    "size and both addresses must be multiples of 16",
                                    ends.bytes, from[lane], to[lane])) &&
           locate(x, op, op.address, ends.bytes, 16, Direction::store, ends.to) &&
           locate(x, op, op.address2, read ? read : ends.bytes, 16, Direction::load, ends.from, read ? ends.left : 0);
}

// global -> shared (this block, a peer, or several), shared -> a peer's shared memory
Flow copy_to_shared(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const Bulk& bulk = bulk_of(op);
    return lane_by_lane(x, [&](int lane) {
        if (x.lanes<uint32_t>(op.a)[lane] == 0)
            return true;
        Ends ends;
        if (!resolve_ends(x, op, lane, ends))
            return false;
        if (!ends.to.shared)
            return x.fail(Fault::illegal_instruction, "the destination of this bulk copy lies in shared memory") ==
                   Flow::next;
        if (bulk.own && ends.to.target != &x.block)
            return x.fail(Fault::illegal_instruction, not_own_block) == Flow::next;
        const uint32_t copied = ends.bytes - std::min(ends.bytes, ends.left + ends.right);
        count_policy(x, bulk.policy, lane, copied);
        const CopyBarrier barrier = copy_barrier(x, op, bulk.barrier, lane);
        if (!barrier.barrier)
            return false;
        auto issue = [&](Block& destination, Block& barrier_block) {
            async::Mbarrier* peer = &barrier_block == barrier.block
                                        ? barrier.barrier
                                        : barriers_of(barrier_block).use(x, op, x.mask, barrier.offset);
            if (!peer)
                return false;
            async::BulkLoad copy;
            copy.destination = &destination;
            copy.source = ends.from.shared ? ends.from.target : nullptr;
            copy.issuer = async::Issuer::of(x, lane);
            copy.pieces = {{ends.from.address[lane], uint32_t(ends.to.address[lane]) + ends.left, copied}};
            copy.bytes = ends.bytes;
            copy.barrier_block = &barrier_block;
            copy.barrier = barrier.offset;
            copy.reduce = bulk.reduce;
            if (copy.source && &destination != &x.block)
                x.grid.statistics.peer_copy_bytes += copy.bytes;
            if (x.listener) {
                const events::BulkBytes bytes{ends.from.address[lane], uint32_t(ends.to.address[lane]) + ends.left,
                                              copied};
                copy.number = x.grid.next.bulk++;
                x.listener->bulk_load(x, {.number = copy.number,
                                          .lane = lane,
                                          .destination = &destination,
                                          .source = copy.source,
                                          .bytes = {&bytes, 1},
                                          .barrier = &peer->seen,
                                          .reduction = bulk.reduce != nullptr,
                                          .multicast = bulk.cta_mask.exists()});
            }
            async::Engine::of(x.block).bulk().load(std::move(copy));
            return true;
        };
        if (!bulk.cta_mask.exists())
            return issue(*ends.to.target, *barrier.block);
        bool good = true;
        const uint32_t ranks = x.lanes<uint16_t>(bulk.cta_mask)[lane];
        count_multicast(x, ranks, ends.bytes);
        for_lanes(ranks, [&](int rank) {
            Block* peer = good ? multicast_target(x, op, uint32_t(rank)) : nullptr;
            good = peer && issue(*peer, *peer);
        });
        return good;
    });
}

/// The bytes of a copy to global memory: all of them, or of each 16 those that .cp_mask names.
std::vector<async::Piece> masked_pieces(Exec& x, const Bulk& bulk, int lane, const Ends& ends) {
    const uint64_t to = ends.to.address[lane];
    const auto from = uint32_t(ends.from.address[lane]);
    const uint32_t mask = bulk.byte_mask.exists() ? x.lanes<uint16_t>(bulk.byte_mask)[lane] : 0xffff;
    if (mask == 0xffff)
        return {{to, from, ends.bytes}};
    std::vector<async::Piece> pieces;
    for (uint32_t at = 0; at < ends.bytes; at += 16)
        for (uint32_t rest = mask; rest;) {
            const auto first = uint32_t(std::countr_zero(rest)), count = uint32_t(std::countr_one(rest >> first));
            pieces.push_back({to + at + first, from + at + first, count});
            rest &= ~(((1u << count) - 1) << first);
        }
    return pieces;
}

// shared -> global
Flow copy_to_global(Exec& x, const Op& op) {
    const Bulk& bulk = bulk_of(op);
    return lane_by_lane(x, [&](int lane) {
        if (x.lanes<uint32_t>(op.a)[lane] == 0)
            return true;
        Ends ends;
        if (!resolve_ends(x, op, lane, ends))
            return false;
        if (!ends.from.shared || ends.from.target != &x.block || !ends.to.global)
            return x.fail(Fault::illegal_instruction,
                          "this bulk copy goes from the block's shared memory to global memory") == Flow::next;
        count_policy(x, bulk.policy, lane, ends.bytes);
        async::BulkCopies& copies = async::Engine::of(x.block).bulk();
        async::BulkStore copy;
        copy.issuer = async::Issuer::of(x, lane);
        copy.pieces = masked_pieces(x, bulk, lane, ends);
        copy.reduce = bulk.reduce;
        if (x.listener) {
            std::vector<events::BulkBytes> bytes;
            for (const async::Piece& piece : copy.pieces)
                bytes.push_back({piece.address, piece.offset, piece.bytes});
            copy.number = x.grid.next.bulk++;
            x.listener->bulk_store(x, {copy.number, lane, bytes, copies.next_index(x.warp), bulk.reduce != nullptr});
        }
        copies.store(x, std::move(copy));
        return true;
    });
}

Handler decode_copy(Decoder& d) {
    Bulk bulk;
    const bool to_global = d.value(".dst") == ".global";
    d.op.address = d.address(0, to_global ? Space::global : Space::shared);
    d.op.address2 =
        d.address(1, d.value(".src") == ".shared::cta" || d.value(".src") == ".shared" ? Space::shared : Space::global);
    d.op.a = d.read(2, 4);
    if (d.has(".cp_mask")) {
        d.need("sm_100", "cp.async.bulk.cp_mask");
        bulk.byte_mask = d.read(d.has(".L2::cache_hint") ? 4 : 3, 2);
    }
    bulk.own = d.has(".own") || d.value(".dst") == ".shared::cta";
    size_t barrier = 3;
    if (d.has(".ignore_oob")) {
        bulk.ignored_left = d.read(3, 4);
        bulk.ignored_right = d.read(4, 4);
        barrier = 5;
    }
    if (d.has(".redOp")) {
        const Type type = d.type(".type");
        bulk.reduce = bulk_reduction(d, d.value(".redOp"), type);
    }
    if (!to_global)
        bulk.barrier = d.address(barrier, Space::shared);
    if (d.has(".multicast::cluster"))
        bulk.cta_mask = d.read(4, 2);
    bulk.policy = cache_policy(d, to_global ? 3 : barrier + (bulk.cta_mask.exists() ? 2 : 1));
    d.op.extra = d.keep(bulk);
    return to_global ? copy_to_global : copy_to_shared;
}

Flow commit_group(Exec& x, const Op&) {
    async::Engine::of(x.block).bulk().commit(x);
    return Flow::next;
}

Flow wait_group(Exec& x, const Op& op) {
    async::Engine::of(x.block).bulk().wait(x, op.small, op.flags);
    return Flow::next;
}

Flow no_effect(Exec&, const Op&) {
    return Flow::next;
}

Handler decode_commit_group(Decoder&) {
    return commit_group;
}
Handler decode_wait_group(Decoder& d) {
    d.op.small = uint32_t(d.immediate(0));
    d.op.flags = d.has(".read");
    return wait_group;
}
Handler decode_prefetch(Decoder&) {
    return no_effect;
}

} // namespace

#define ENDS                                                                                                           \
    ".own = { .shared::cta }; .dst = { .shared{::cta, ::cluster}, .global }; .src = { .global, .shared{::cta} };"

INSTRUCTIONS = {
    {.name = "cp.async.bulk",
     .syntax = R"(
        cp.async.bulk.dst.src.mbarrier::complete_tx::bytes{.multicast::cluster}{.L2::cache_hint} [dst], [src], size, [mbar]{, cta-mask}{, cache-policy};
        cp.async.bulk.own.global.mbarrier::complete_tx::bytes.ignore_oob{.L2::cache_hint} [dst], [src], size, ignored-left, ignored-right, [mbar]{, cache-policy};
        cp.async.bulk.dst.src.bulk_group{.L2::cache_hint}{.cp_mask} [dst], [src], size{, cache-policy}{, byte-mask};
)" ENDS,
     .isa = 80,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-cp-async-bulk",
     .decode = decode_copy,
     .use = Use::sink,
     .effects = {{"", effect::copies},
                 {".mbarrier::complete_tx::bytes", effect::completes_tx},
                 {".bulk_group", effect::bulk_group},
                 {".multicast::cluster", effect::multicast}}},
    {.name = "cp.reduce.async.bulk",
     .syntax = R"(
        cp.reduce.async.bulk.dst.src.mbarrier::complete_tx::bytes.redOp.type [dst], [src], size, [mbar];
        cp.reduce.async.bulk.dst.src.bulk_group{.L2::cache_hint}.redOp{.noftz}.type [dst], [src], size{, cache-policy};
        .redOp = { .and, .or, .xor, .add, .inc, .dec, .min, .max };
        .type = { .f16, .bf16, .b32, .u32, .s32, .b64, .u64, .s64, .f32, .f64 };
)" ENDS,
     .isa = 80,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-cp-reduce-async-bulk",
     .decode = decode_copy,
     .use = Use::sink,
     .effects = {{"", effect::copies},
                 {".mbarrier::complete_tx::bytes", effect::completes_tx},
                 {".bulk_group", effect::bulk_group}}},
    {.name = "cp.async.bulk.commit_group",
     .syntax = "cp.async.bulk.commit_group;",
     .isa = 80,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-cp-async-bulk-commit-group",
     .decode = decode_commit_group,
     .effects = {{"", effect::bulk_group | effect::commits}}},
    {.name = "cp.async.bulk.wait_group",
     .syntax = "cp.async.bulk.wait_group{.read} N;",
     .isa = 80,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-cp-async-bulk-wait-group",
     .decode = decode_wait_group,
     .effects = {{"", effect::bulk_group | effect::waits_for_group}}},
    {.name = "cp.async.bulk.prefetch",
     .syntax = "cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [src], size{, cache-policy};",
     .isa = 80,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-cp-async-bulk-prefetch",
     .decode = decode_prefetch},
};

} // namespace sim::instructions::cp_async_bulk
