#include "sim/instructions/tensor_operands.h"

#include <cstring>

#include "sim/machine/target.h"

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

namespace {

/// The load mode, if the module's target has it. PTX ISA, "cp.async.bulk.tensor", "Target ISA Notes".
async::LoadMode load_mode(Decoder& d, std::string_view mode) {
    using async::LoadMode;
    const bool own = d.value(".dst") == ".shared::cta", scatter = mode == ".tile::scatter4";
    if (mode == ".tile::gather4" || mode == ".im2col::w")
        d.need(own ? "sm_100" : "sm_100f sm_110f", fmt::format("{} with {}", d.source.opcode, mode));
    else if (scatter || mode == ".im2col::w::128")
        d.need("sm_100f sm_110f", fmt::format("{} with {}", d.source.opcode, mode));
    if (mode.starts_with(".tile::") && scatter != (d.value(".dst") == ".global"))
        d.fail(fmt::format("{}: loads gather, stores scatter", d.source.opcode));
    return mode.starts_with(".tile::")                      ? LoadMode::four_rows
           : mode == ".im2col::w"                           ? LoadMode::im2col_w
           : mode == ".im2col::w::128"                      ? LoadMode::im2col_w128
           : mode == ".im2col" || mode == ".im2col_no_offs" ? LoadMode::im2col
                                                            : LoadMode::tile;
}

} // namespace

void read_im2col_info(Decoder& d, TensorOperands& tensor, const ptx::Operand& info) {
    const size_t count = tensor.walks_along_w() ? 2 : tensor.rank - 2;
    if (info.kind != ptx::Operand::Kind::vector || info.elements.size() != count)
        d.fail(tensor.walks_along_w() ? fmt::format("{}: {{wHalo, wOffset}} is needed", d.source.opcode)
                                      : fmt::format("{}: {} im2col offsets are needed", d.source.opcode, count));
    for (size_t n = 0; n < count; ++n)
        tensor.im2col_offset[n] = d.read(info.elements[n], 2);
}

TensorOperands tensor_operands(Decoder& d, size_t i) {
    TensorOperands result;
    const auto dim = d.value(".dim"), mode = d.value(".load_mode");
    result.mode = load_mode(d, mode);
    if (d.has(".cta_group"))
        d.need("sm_100f sm_110f", fmt::format("{} with .cta_group", d.source.opcode));
    result.pair = d.value(".cta_group") == ".cta_group::2";
    result.rank = uint32_t(dim.at(1) - '0');
    if (result.mode == async::LoadMode::four_rows && result.rank != 2)
        d.fail(fmt::format("{}: {} needs a tensor of 2 dimensions", d.source.opcode, mode));
    if (async::is_im2col(result.mode) && result.rank < 3)
        d.fail(fmt::format("{}: im2col needs a tensor of 3 to 5 dimensions", d.source.opcode));
    const ptx::Operand& operand = d.operand(i);
    if (operand.kind != ptx::Operand::Kind::address || operand.elements.size() != 2 ||
        operand.elements[1].kind != ptx::Operand::Kind::vector)
        d.fail(fmt::format("{}: the tensor operand is [map, {{coordinates}}]", d.source.opcode));
    const auto& coordinates = operand.elements[1].elements;
    if (result.mode == async::LoadMode::four_rows && coordinates.size() != 5)
        d.fail(fmt::format("{}: {} coordinates where 5 are needed: the column and four rows", d.source.opcode,
                           coordinates.size()));
    if (coordinates.size() != result.coordinates())
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
    if (const async::Packing packed = async::packing(tile.map.type); packed.shared) {
        const int32_t unit = packed.padded() ? 128 : 32; // elements
        if (tile.coordinates[0] % unit) {
            const std::string what =
                fmt::format("The tile starts at element {} of the inner dimension; with elements of "
                            "{} that must be a multiple of {}.",
                            tile.coordinates[0], async::name(tile.map.type), unit);
            return refuse(x, op, events::MisalignedCopy{Part::inner_coordinate, what}, what);
        }
    } else if (int64_t{tile.coordinates[0]} * element_bytes % 16) {
        const std::string what =
            fmt::format("The tile starts at element {} of the inner dimension; with {}-byte elements "
                        "that is no multiple of 16 bytes.",
                        tile.coordinates[0], element_bytes);
        return refuse(x, op, events::MisalignedCopy{Part::inner_coordinate, what}, what);
    }
    for (uint32_t d = 0; d < operands.coordinates() && use == TileUse::store; ++d)
        if (tile.coordinates[d] < 0) {
            const std::string what =
                fmt::format("Coordinate {} of the store is {}: stores may reach beyond the end of a "
                            "tensor, but must not start before its beginning.",
                            d, tile.coordinates[d]);
            return refuse(x, op, events::NegativeStoreStart{what}, what);
        }
    return true;
}

/// A map that only newer targets can use, in a module for another one; empty: it is none.
std::string of_another_target(Exec& x, const async::TensorMap& map, TileUse use) {
    if (use == TileUse::store && async::packing(map.type).padded())
        return map.type == async::ElementType::b4x16_p64 ? "stores do not take elements of b4x16_p64"
                                                         : "stores of b6p2x16 are not part of the simulated device yet";
    const std::string& target = x.grid.kernel.module->ptx().target;
    if (!map.is_newer() || machine::allows(target, "sm_100f sm_110f sm_120f"))
        return {};
    return machine::target_missing("it", "sm_100f sm_110f sm_120f", target);
}

/// Are the halo and the offset of im2col::w and im2col::w::128 in their ranges?
bool halo_fits(Exec& x, const Op& op, const TensorOperands& operands, const std::array<int32_t, 3>& info) {
    const int32_t most = operands.mode == async::LoadMode::im2col_w ? 511 : 31;
    if (info[0] <= most && info[1] <= 31)
        return true;
    const std::string what = info[0] > most ? fmt::format("wHalo is {}: it is 0 to {} in this mode.", info[0], most)
                                            : fmt::format("wOffset is {}: it is 0 to 31.", info[1]);
    return refuse(x, op, events::OutsidePixelBox{what}, what);
}

std::vector<async::TileBytes> bytes_of_tile(const async::TensorMap& map, async::LoadMode mode,
                                            std::span<const int32_t> at, const std::array<int32_t, 3>& info,
                                            uint32_t shared, bool to_global) {
    switch (mode) {
    case async::LoadMode::tile:
        return async::tile(map, at, shared, to_global);
    case async::LoadMode::four_rows:
        return async::four_rows(map, at, shared, to_global);
    case async::LoadMode::im2col:
        return async::im2col_tile(map, at, info, shared, to_global);
    default:
        return async::im2col_w_tile(map, mode, at, uint32_t(info[0]), info[1], shared);
    }
}

} // namespace

static constexpr uint32_t most_dimensions = 5;

bool find_tile(Exec& x, const Op& op, const TensorOperands& operands, int lane, uint32_t shared, TileUse use,
               Tile& out) {
    if (!read_map(x, op, operands, lane, use, out))
        return false;
    async::TensorMap& map = out.map;
    const uint32_t element = map.unit();
    out.about = async::describe(map);
    for (uint32_t d = 0; d < operands.coordinates(); ++d)
        out.coordinates[d] = x.lanes<int32_t>(operands.coordinate[d])[lane];
    using Invalid = events::InvalidMap;
    if (map.rank > most_dimensions) {
        const std::string what =
            fmt::format("These 128 bytes are no tensor map (they would describe {} dimensions): cuTensorMapEncodeTiled "
                        "has failed, or has not written the map that is passed here.",
                        map.rank);
        return refuse(x, op, Invalid{Invalid::Part::no_map, what}, what);
    }
    if (map.rank != operands.rank) {
        const std::string what =
            fmt::format("The map has rank {}, but the copy is {}-dimensional. (tensormap.replace of "
                        ".rank takes the rank minus one.)",
                        map.rank, operands.rank);
        return refuse(x, op, Invalid{Invalid::Part::rank, what}, what);
    }
    std::string why = async::unusable(map, operands.mode);
    if (why.empty())
        why = of_another_target(x, map, use);
    if (!why.empty()) {
        const std::string what = fmt::format(
            "The map ({}) cannot be used: {}{}.", out.about, why,
            remark(map, [&](const async::TensorMap& meant) { return async::unusable(meant, operands.mode).empty(); }));
        return refuse(x, op, Invalid{Invalid::Part::contents, what}, what);
    }
    if (!starts_where_it_may(x, op, operands, shared, use, element, out))
        return false;
    if (x.listener && use != TileUse::prefetch && map.swizzle != async::Swizzle::none) {
        const uint32_t span = map.swizzle_span(), period = map.swizzle_period();
        const bool part_of_tile = operands.mode == async::LoadMode::four_rows && shared % (4 * span) == 0;
        if (shared % period && !part_of_tile)
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
    std::array<int32_t, 3> offsets{};
    for (size_t n = 0; n < offsets.size(); ++n)
        if (operands.im2col_offset[n].exists())
            offsets[n] = x.lanes<uint16_t>(operands.im2col_offset[n])[lane];
    if (operands.walks_along_w() && !halo_fits(x, op, operands, offsets))
        return false;
    out.halo = operands.walks_along_w() ? uint32_t(offsets[0]) : 0;
    // Before its pieces are listed: a map that the program has written can have boxes of any size.
    out.copied = map.copy_bytes(operands.mode, out.halo);
    if (out.copied > (use == TileUse::prefetch ? largest_tile : x.block.shared.size()))
        return leaves_shared();
    if (const async::Packing packed = async::packing(map.type); packed.padded())
        out.copied = out.copied / packed.shared * packed.global; // CUTLASS expects no bytes for the padding
    const std::span<const int32_t> at(out.coordinates.data(), operands.coordinates());
    if (async::is_im2col(operands.mode))
        why = async::outside_pixel_box(map, operands.mode, at);
    if (!why.empty())
        return refuse(x, op, events::OutsidePixelBox{why}, why);
    for (const auto& piece : bytes_of_tile(map, operands.mode, at, offsets, shared, use == TileUse::store)) {
        if (use != TileUse::prefetch && uint64_t{piece.offset} + piece.bytes > x.block.shared.size())
            return leaves_shared();
        out.pieces.push_back({piece.inside ? piece.address : 0, piece.offset, piece.bytes, piece.inside});
        out.bytes.push_back({piece.address, piece.offset, piece.bytes, piece.inside});
    }
    return use == TileUse::prefetch || check_global(x, op, out, use);
}

} // namespace sim::instructions
