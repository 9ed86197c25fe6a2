#include "sim/instructions/tensor_operands.h"

#include <cstring>

namespace sim::instructions {
namespace {

constexpr uint64_t largest_tile = 256 << 10; // bytes: more than any block's shared memory

bool refuse(Exec& x, const Op& op, const events::Misuse& misuse, std::string message,
            Fault fault = Fault::illegal_instruction) {
    if (x.listener)
        x.listener->misuse(&x.warp, x.mask, &op, misuse);
    return x.fail(fault, std::move(message)) == Flow::next;
}

// ". tensormap.replace has set the map's .elemtype to …", if the copy could use the map with the type that was meant.
template <class F>
std::string remark(const async::TensorMap& map, F&& usable) {
    const auto meant = async::with_driver_type(map);
    const std::string text = meant && usable(*meant) ? async::type_remark(map) : "";
    return text.empty() ? text : ". " + text.substr(0, text.size() - 1);
}

bool read_map(Exec& x, const Op& op, const TensorOperands& operands, int lane, TileUse use, Tile& out) {
    Resolved where;
    if (!locate(x, op, operands.map, 128, 64, Direction::load, where))
        return false;
    if (where.local) {
        const std::string why =
            "The map's address is in the thread's local memory: the tensor map was copied to a local "
            "variable, and the copy unit cannot read it there.";
        return refuse(x, op, events::MapInLocalMemory{why}, why, Fault::illegal_address);
    }
    if (!where.global)
        return x.fail(Fault::illegal_address, "a tensor map is read from parameter, constant or global memory") ==
               Flow::next;
    if (x.listener)
        x.listener->map_use(x, uint32_t(lane), where.address[lane], use == TileUse::prefetch ? 0 : x.grid.next.bulk);
    std::array<std::byte, 128> bytes;
    std::memcpy(bytes.data(), where.pointer[lane], bytes.size());
    out.map = async::TensorMap::unpack(bytes);
    const memory::Allocation* home = x.grid.memory.find(where.address[lane]);
    out.map_in_global =
        home && home->kind != memory::AllocationKind::constant && home->kind != memory::AllocationKind::parameters;
    return true;
}

// Each piece of global memory must be in live memory that permits this access.
bool check_global(Exec& x, const Op& op, const Tile& tile, TileUse use) {
    memory::Allocation* last = nullptr;
    for (const auto& piece : tile.pieces) {
        if (!piece.inside)
            continue;
        if (!last || !last->holds(piece.address, piece.bytes))
            last = x.grid.memory.find(piece.address);
        const bool held = last && last->holds(piece.address, piece.bytes);
        if (held && last->live &&
            (use == TileUse::load ||
             (last->kind != memory::AllocationKind::constant && last->kind != memory::AllocationKind::parameters)))
            continue;
        const std::string message = fmt::format(
            "the tile ({}, map at {:#x}) covers {} bytes at {:#x}, which {}: the map's dimensions and strides say "
            "that they belong to the tensor",
            tile.about, tile.map.address, piece.bytes, piece.address,
            !held         ? "lie in no allocation"
            : !last->live ? "have been freed"
                          : "a kernel can only read");
        using Why = events::Stopped::Why;
        events::Stopped stopped{Why::out_of_bounds, message, events::Stopped::Of::tile};
        if (held && !last->live) {
            stopped.why = Why::freed_memory;
            stopped.allocated_at = last->allocated_at;
            stopped.freed_at = last->freed_at;
        }
        return refuse(x, op, stopped, message, Fault::illegal_address);
    }
    return true;
}

} // namespace

TensorOperands tensor_operands(Decoder& d, size_t i) {
    TensorOperands result;
    const auto dim = d.value(".dim"), mode = d.value(".load_mode");
    if (mode.find("gather4") != std::string_view::npos || mode.find("scatter4") != std::string_view::npos ||
        mode.starts_with(".im2col::w")) {
        d.need("sm_100f sm_110f", fmt::format("{} with {}", d.source.opcode, mode));
        d.fail(fmt::format("{}: {} is not part of the simulated device yet", d.source.opcode, mode));
    }
    if (d.has(".cta_group")) {
        d.need("sm_100f sm_110f", fmt::format("{} with .cta_group", d.source.opcode));
        d.fail(fmt::format("{}: .cta_group is not part of the simulated device yet", d.source.opcode));
    }
    result.rank = uint32_t(dim.at(1) - '0');
    result.im2col = mode == ".im2col" || mode == ".im2col_no_offs";
    if (result.im2col && result.rank < 3)
        d.fail(fmt::format("{}: im2col needs a tensor of 3 to 5 dimensions", d.source.opcode));
    const ptx::Operand& operand = d.operand(i);
    if (operand.kind != ptx::Operand::Kind::address || operand.elements.size() != 2 ||
        operand.elements[1].kind != ptx::Operand::Kind::vector)
        d.fail(fmt::format("{}: the tensor operand is [map, {{coordinates}}]", d.source.opcode));
    const auto& coordinates = operand.elements[1].elements;
    if (coordinates.size() != result.rank)
        d.fail(fmt::format("{}: {} coordinates for a {}-dimensional tensor", d.source.opcode, coordinates.size(),
                           result.rank));
    result.map = d.address(i, Space::generic);
    for (size_t n = 0; n < coordinates.size(); ++n)
        result.coordinate[n] = d.read(coordinates[n], 4);
    return result;
}

namespace {

/// Do the tile's coordinates and its shared address keep the rules of alignment and sign? Refuses if not.
bool starts_where_it_may(Exec& x, const Op& op, const TensorOperands& operands, uint32_t shared, TileUse use,
                         uint32_t element_bytes, const Tile& tile) {
    using Part = events::MisalignedCopy::Part;
    if (use != TileUse::prefetch && shared % 128) {
        const std::string what = fmt::format(
            "The tile lies at shared address {}: tensor copies need a multiple of 128 bytes (alignas(128)).",
            shared - reserved_shared);
        return refuse(x, op, events::MisalignedCopy{Part::shared_address, what}, what, Fault::misaligned_address);
    }
    if (int64_t{tile.coordinates[0]} * element_bytes % 16) {
        const std::string what =
            fmt::format("The tile starts at element {} of the inner dimension; with {}-byte elements "
                        "that is no multiple of 16 bytes.",
                        tile.coordinates[0], element_bytes);
        return refuse(x, op, events::MisalignedCopy{Part::inner_coordinate, what}, what);
    }
    for (uint32_t d = 0; d < operands.rank && use == TileUse::store; ++d)
        if (tile.coordinates[d] < 0) {
            const std::string what =
                fmt::format("Coordinate {} of the store is {}: stores may reach beyond the end of a "
                            "tensor, but must not start before its beginning.",
                            d, tile.coordinates[d]);
            return refuse(x, op, events::NegativeStoreStart{what}, what);
        }
    return true;
}

} // namespace

bool find_tile(Exec& x, const Op& op, const TensorOperands& operands, int lane, uint32_t shared, TileUse use,
               Tile& out) {
    if (!read_map(x, op, operands, lane, use, out))
        return false;
    async::TensorMap& map = out.map;
    const uint32_t element = map.unit();
    out.about = async::describe(map);
    for (uint32_t d = 0; d < operands.rank; ++d)
        out.coordinates[d] = x.lanes<int32_t>(operands.coordinate[d])[lane];
    using Invalid = events::InvalidMap;
    if (map.rank != operands.rank) {
        const std::string what =
            fmt::format("The map has rank {}, but the copy is {}-dimensional. (tensormap.replace of "
                        ".rank takes the rank minus one.)",
                        map.rank, operands.rank);
        return refuse(x, op, Invalid{Invalid::Part::rank, what}, what);
    }
    if (const std::string why = async::unusable(map, operands.im2col); !why.empty()) {
        const std::string what = fmt::format("The map ({}) cannot be used: {}{}.", out.about, why,
                                             remark(map, [&](const async::TensorMap& meant) {
                                                 return async::unusable(meant, operands.im2col).empty();
                                             }));
        return refuse(x, op, Invalid{Invalid::Part::contents, what}, what);
    }
    if (!starts_where_it_may(x, op, operands, shared, use, element, out))
        return false;
    if (x.listener && use != TileUse::prefetch && map.swizzle != async::Swizzle::none) {
        const uint32_t span = 16u << uint32_t(map.swizzle), period = 8 * span;
        if (shared % period)
            x.listener->misuse(&x.warp, 1u << uint32_t(lane), &op,
                               events::SwizzleOffset{span, shared % period, period});
    }
    const auto leaves_shared = [&] {
        const std::string message =
            fmt::format("the tile ({}) at shared address {} leaves the block's {} bytes of shared memory{}", out.about,
                        shared - reserved_shared, x.block.shared.size() - reserved_shared,
                        remark(map, [&](const async::TensorMap& meant) { return meant.unit() < map.unit(); }));
        return refuse(x, op, events::Stopped{events::Stopped::Why::out_of_bounds, message, events::Stopped::Of::tile},
                      message, Fault::illegal_address);
    };
    // Before its pieces are listed: a map that the program has written can have boxes of any size.
    const uint64_t bytes = operands.im2col ? map.im2col_bytes() : map.tile_bytes();
    if (bytes > (use == TileUse::prefetch ? largest_tile : x.block.shared.size()))
        return leaves_shared();
    std::array<int32_t, 3> offsets{};
    for (size_t n = 0; n < offsets.size(); ++n)
        if (operands.im2col_offset[n].exists())
            offsets[n] = x.lanes<uint16_t>(operands.im2col_offset[n])[lane];
    const std::span<const int32_t> at(out.coordinates.data(), operands.rank);
    if (const std::string why = operands.im2col ? async::outside_pixel_box(map, at) : ""; !why.empty())
        return refuse(x, op, events::OutsidePixelBox{why}, why);
    for (const auto& piece : operands.im2col ? async::im2col_tile(map, at, offsets, shared, use == TileUse::store)
                                             : async::tile(map, at, shared, use == TileUse::store)) {
        if (use != TileUse::prefetch && uint64_t{piece.offset} + piece.bytes > x.block.shared.size())
            return leaves_shared();
        out.pieces.push_back({piece.inside ? piece.address : 0, piece.offset, piece.bytes, piece.inside});
        out.bytes.push_back({piece.address, piece.offset, piece.bytes, piece.inside});
    }
    return use == TileUse::prefetch || check_global(x, op, out, use);
}

} // namespace sim::instructions
