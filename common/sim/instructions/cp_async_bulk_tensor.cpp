// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: tiles of 1 to 5 dimensions.
#include <cstring>

#include "sim/instructions/tensor_operands.h"

namespace sim::instructions::cp_async_bulk_tensor {
namespace {

const TensorOperands& operands_of(const Op& op) {
    return *static_cast<const TensorOperands*>(op.extra);
}

// The place in shared memory of the executing lane's tile; nullptr: reported.
Block* shared_end(Exec& x, const Op& op, int lane, uint32_t& offset) {
    Resolved where;
    if (!locate(x, op, operands_of(op).shared, 16, 1, Direction::store, where)) // find_tile checks the alignment
        return nullptr;
    if (!where.shared) {
        x.fail(Fault::illegal_instruction, "the shared end of a tensor copy lies in shared memory");
        return nullptr;
    }
    offset = uint32_t(where.address[lane]);
    return where.target;
}

// A load rounds float32 to the nearest tf32, ties to even (measured: docs/fidelity.md).
void round_to_tf32(std::byte* at, uint32_t bytes) {
    for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t bits;
        std::memcpy(&bits, at + i, 4);
        if ((bits & 0x7fffffff) > 0x7f800000)
            bits = 0x7fffe000;
        else
            bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
        std::memcpy(at + i, &bits, 4);
    }
}

// The counters that the checkers of labs read.
void count(Exec& x, const Op& op, const Tile& tile, uint64_t bytes) {
    auto& statistics = x.grid.statistics;
    if (operands_of(op).mode == async::LoadMode::four_rows)
        statistics.gathered_bytes += bytes;
    if (tile.map.swizzle != async::Swizzle::none) {
        statistics.swizzled_bytes += bytes;
        statistics.max_swizzle_span = std::max(statistics.max_swizzle_span, tile.map.swizzle_span());
    }
    if (tile.map_in_global)
        statistics.global_map_bytes += bytes;
}

events::MapUse use_of(const async::TensorMap& map) {
    return {true, map.swizzle_span(), map.address, map.address_replaced};
}

void issue_load(Exec& x, const Op& op, int lane, const Tile& tile, Block& destination, const CopyBarrier& on) {
    const TensorOperands& operands = operands_of(op);
    async::Mbarrier& barrier = *on.barrier;
    async::BulkLoad copy;
    copy.destination = &destination;
    copy.issuer = async::Issuer::of(x, lane);
    copy.pieces = tile.pieces;
    copy.bytes = tile.copied;
    copy.fill = tile.map.fill_pattern();
    copy.barrier_block = on.block;
    copy.barrier = on.offset;
    copy.tensor = true;
    if (tile.map.type == async::ElementType::tf32 || tile.map.type == async::ElementType::tf32_ftz)
        copy.convert = round_to_tf32;
    const auto meant = async::with_driver_type(tile.map);
    const uint64_t expected = barrier.expected_bytes; // the count identifies the type that was meant
    if (const uint64_t bytes = meant ? meant->copy_bytes(operands.mode, tile.halo) : 0;
        bytes && expected % copy.bytes != 0 && expected % bytes == 0)
        copy.remark = async::type_remark(tile.map);
    count(x, op, tile, copy.bytes);
    count_policy(x, operands.policy, lane, copy.bytes);
    async::BulkCopies& copies = async::Engine::of(x.block).bulk();
    if (x.listener) {
        copy.number = x.grid.next.bulk++;
        x.listener->bulk_load(x, {.number = copy.number,
                                  .lane = lane,
                                  .destination = &destination,
                                  .bytes = tile.bytes,
                                  .barrier = &barrier.seen,
                                  .index = copies.next_index(x.warp),
                                  .multicast = operands.cta_mask.exists(),
                                  .map = use_of(tile.map)});
        if (!copy.remark.empty())
            x.listener->bulk_remark(copy.number, copy.remark);
    }
    copies.load(std::move(copy));
}

std::string other_block(const TensorOperands& tensor) {
    return fmt::format("the tile and its mbarrier lie in the shared memory of different blocks: {}",
                       tensor.pair ? "with .cta_group::2, both belong to the receiving block or its peer"
                                   : "both belong to the receiving block");
}

Flow load_tile(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const TensorOperands& tensor = operands_of(op);
    return lane_by_lane(x, [&](int lane) {
        uint32_t offset = 0;
        Block* target = shared_end(x, op, lane, offset);
        if (!target)
            return false;
        if (tensor.own && target != &x.block)
            return x.fail(Fault::illegal_instruction, not_own_block) == Flow::next;
        const CopyBarrier barrier = copy_barrier(x, op, tensor.barrier, lane);
        Tile tile;
        if (!barrier.barrier || !find_tile(x, op, tensor, lane, offset, TileUse::load, tile))
            return false;
        if (!tensor.cta_mask.exists()) {
            if (target != barrier.block &&
                !(tensor.pair && target->cluster_rank / 2 == barrier.block->cluster_rank / 2))
                return x.fail(Fault::illegal_instruction, other_block(tensor)) == Flow::next;
            issue_load(x, op, lane, tile, *target, barrier);
            return true;
        }
        bool good = true;
        const uint32_t ranks = x.lanes<uint16_t>(tensor.cta_mask)[lane];
        const uint32_t parity = barrier.block->cluster_rank & 1; // .cta_group::2: who of each pair is signalled
        count_multicast(x, ranks, tile.copied);
        for_lanes(ranks, [&](int rank) {
            Block* peer = good ? multicast_target(x, op, uint32_t(rank)) : nullptr;
            Block* signalled = peer && tensor.pair ? multicast_target(x, op, (uint32_t(rank) & ~1u) | parity) : peer;
            good = signalled != nullptr;
            if (!good)
                return;
            const CopyBarrier theirs{signalled, barrier.offset,
                                     signalled == barrier.block
                                         ? barrier.barrier
                                         : barriers_of(*signalled).use(x, op, x.mask, barrier.offset)};
            good = theirs.barrier != nullptr;
            if (good)
                issue_load(x, op, lane, tile, *peer, theirs);
        });
        return good;
    });
}

Flow store_tile(Exec& x, const Op& op) {
    const TensorOperands& tensor = operands_of(op);
    return lane_by_lane(x, [&](int lane) {
        uint32_t offset = 0;
        Block* source = shared_end(x, op, lane, offset);
        if (!source)
            return false;
        if (source != &x.block)
            return x.fail(Fault::illegal_instruction, "a tensor store reads the block's own shared memory") ==
                   Flow::next;
        Tile tile;
        if (!find_tile(x, op, tensor, lane, offset, TileUse::store, tile))
            return false;
        async::BulkCopies& copies = async::Engine::of(x.block).bulk();
        async::BulkStore copy;
        copy.issuer = async::Issuer::of(x, lane);
        copy.tensor = true;
        copy.pieces = tile.pieces;
        for (const async::Piece& piece : tile.pieces)
            count(x, op, tile, piece.inside ? piece.bytes : 0);
        count_policy(x, tensor.policy, lane, tile.copied);
        if (!tensor.reduction.empty()) {
            copy.reduce = tensor_reduction(tensor.reduction, tile.map.type);
            if (!copy.reduce)
                return x.fail(Fault::illegal_instruction, fmt::format("no reduction {} for the map's elements ({})",
                                                                      tensor.reduction, tile.about)) == Flow::next;
        }
        if (x.listener) {
            copy.number = x.grid.next.bulk++;
            x.listener->bulk_store(x, {copy.number, lane, tile.bytes, copies.next_index(x.warp), copy.reduce != nullptr,
                                       use_of(tile.map)});
        }
        copies.store(x, std::move(copy));
        return true;
    });
}

Handler decode_copy(Decoder& d) {
    const bool to_global = d.value(".dst") == ".global";
    TensorOperands tensor = tensor_operands(d, to_global ? 0 : 1);
    tensor.shared = d.address(to_global ? 1 : 0, Space::shared);
    tensor.reduction = d.value(".redOp");
    if (!tensor.reduction.empty() || to_global) {
        const auto mode = d.value(".load_mode");
        if (mode == ".im2col" || tensor.walks_along_w())
            d.fail(fmt::format("{}: stores take .im2col_no_offs", d.source.opcode));
        if (!tensor.reduction.empty() && tensor.mode == async::LoadMode::four_rows)
            d.fail(fmt::format("{}: reductions take .tile or .im2col_no_offs", d.source.opcode));
        tensor.policy = cache_policy(d, 2);
        d.op.extra = d.keep(tensor);
        return store_tile;
    }
    tensor.barrier = d.address(2, Space::shared);
    size_t next = 3;
    tensor.own = d.value(".dst") == ".shared::cta";
    if (async::is_im2col(tensor.mode))
        read_im2col_info(d, tensor, d.operand(next++));
    if (d.has(".multicast::cluster"))
        tensor.cta_mask = d.read(next++, 2);
    tensor.policy = cache_policy(d, next);
    d.op.extra = d.keep(tensor);
    return load_tile;
}

/// No cache to prefetch into, but the map and the coordinates are checked.
Flow prefetch(Exec& x, const Op& op) {
    return lane_by_lane(x, [&](int lane) {
        Tile tile;
        return find_tile(x, op, operands_of(op), lane, 0, TileUse::prefetch, tile);
    });
}

Handler decode_prefetch(Decoder& d) {
    TensorOperands tensor = tensor_operands(d, 0);
    if (async::is_im2col(tensor.mode))
        read_im2col_info(d, tensor, d.operand(1));
    d.op.extra = d.keep(tensor);
    return prefetch;
}

} // namespace

#define MODES                                                                                                          \
    ".dim = { .1d, .2d, .3d, .4d, .5d };"                                                                              \
    ".load_mode = { .tile, .tile::gather4, .tile::scatter4, .im2col, .im2col_no_offs, .im2col::w, .im2col::w::128 };"  \
    ".cta_group = { .cta_group::1, .cta_group::2 };"

INSTRUCTIONS = {
    {.name = "cp.async.bulk.tensor",
     .syntax = R"(
        cp.async.bulk.tensor.dim.dst.src{.load_mode}.mbarrier::complete_tx::bytes{.multicast::cluster}{.cta_group}{.L2::cache_hint} [dst], [map, coordinates], [mbar]{, im2col-info}{, cta-mask}{, cache-policy};
        cp.async.bulk.tensor.dim.dst.src{.load_mode}.bulk_group{.L2::cache_hint} [map, coordinates], [src]{, cache-policy};
        .dst = { .shared{::cta, ::cluster}, .global };
        .src = { .global, .shared{::cta} };
)" MODES,
     .isa = 80,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-cp-async-bulk-tensor",
     .decode = decode_copy,
     .use = Use::sink,
     .effects = {{"", effect::copies | effect::by_tensor_map},
                 {".mbarrier::complete_tx::bytes", effect::completes_tx},
                 {".bulk_group", effect::bulk_group},
                 {".multicast::cluster", effect::multicast}}},
    {.name = "cp.reduce.async.bulk.tensor",
     .syntax = R"(
        cp.reduce.async.bulk.tensor.dim.dst.src.redOp{.load_mode}.bulk_group{.L2::cache_hint} [map, coordinates], [src]{, cache-policy};
        .dst = { .global };
        .src = { .shared{::cta} };
        .redOp = { .add, .min, .max, .inc, .dec, .and, .or, .xor };
)" MODES,
     .isa = 80,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-cp-reduce-async-bulk-tensor",
     .decode = decode_copy,
     .use = Use::sink,
     .effects = {{"", effect::copies | effect::by_tensor_map | effect::bulk_group}}},
    {.name = "cp.async.bulk.prefetch.tensor",
     .syntax = R"(
        cp.async.bulk.prefetch.tensor.dim.L2.src{.load_mode}{.L2::cache_hint} [map, coordinates]{, im2col-info}{, cache-policy};
        .src = { .global };
)" MODES,
     .isa = 80,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-cp-async-bulk-prefetch-tensor",
     .decode = decode_prefetch,
     .use = Use::sink},
};

} // namespace sim::instructions::cp_async_bulk_tensor
