#include "sim/instructions/tensor_operands.h"

#include <cstring>

namespace sim::instructions {
namespace {

bool refuse(Exec& x, const Op& op, const char* rule, std::string action, std::string message,
            Fault fault = Fault::illegal_instruction) {
    if (auto* watcher = async::Engine::of(x.block).detector())
        watcher->report(x, op, x.mask, rule, std::move(action), message);
    return x.fail(fault, std::move(message)) == Flow::next;
}

std::string remark(const async::TensorMap& map) {
    const std::string text = async::type_remark(map);
    return text.empty() ? text : ". " + text.substr(0, text.size() - 1);
}

bool read_map(Exec& x, const Op& op, const TensorOperands& operands, int lane, TileUse use, Tile& out) {
    Resolved where;
    if (!resolve(x, op, operands.map, 128, 64, Direction::load, where))
        return false;
    if (where.local)
        return refuse(
            x, op, "map-in-local-memory", "used a tensor map that lies in local memory",
            "The map's address is in the thread's local memory: the tensor map was copied to a local variable, "
            "and the copy unit cannot read it there.",
            Fault::illegal_address);
    if (!where.global)
        return x.fail(Fault::illegal_address, "a tensor map is read from parameter, constant or global memory") ==
               Flow::next;
    if (auto* watcher = async::Engine::of(x.block).detector())
        watcher->map_use(x, op, uint32_t(lane), where.address[lane], use != TileUse::prefetch);
    std::array<std::byte, 128> bytes;
    std::memcpy(bytes.data(), where.pointer[lane], bytes.size());
    out.map = async::TensorMap::unpack(bytes);
    const memory::Allocation* home = x.grid.memory.find(where.address[lane]);
    out.map_in_global =
        home && home->kind != memory::AllocationKind::constant && home->kind != memory::AllocationKind::parameters;
    return true;
}

// Each piece of global memory must lie in live memory that may be touched so.
bool check_global(Exec& x, const Op& op, Tile& tile, TileUse use) {
    memory::Allocation* last = nullptr;
    for (auto& piece : tile.pieces) {
        if (!piece.address)
            continue;
        if (!last || !last->holds(piece.address, piece.bytes))
            last = x.grid.memory.find(piece.address);
        const bool held = last && last->holds(piece.address, piece.bytes);
        if (held && last->live &&
            (use == TileUse::load ||
             (last->kind != memory::AllocationKind::constant && last->kind != memory::AllocationKind::parameters))) {
            piece.global = last->data + (piece.address - last->address);
            continue;
        }
        const std::string message = fmt::format("the tile ({}, map at {:#x}) covers {} bytes at {:#x}, which {}: "
                                                "the map's dimensions and strides say that they belong to the tensor",
                                                tile.about, tile.map.address, piece.bytes, piece.address,
                                                !held         ? "lie in no allocation"
                                                : !last->live ? "have been freed"
                                                              : "a kernel can only read");
        if (x.observer)
            x.observer->problem(&x.warp, x.mask, &op, !held || last->live ? "out-of-bounds" : "use-after-free",
                                message);
        x.fail(Fault::illegal_address, message);
        return false;
    }
    return true;
}

} // namespace

TensorOperands tensor_operands(Decoder& d, size_t i) {
    TensorOperands result;
    const auto dim = d.value(".dim"), mode = d.value(".load_mode");
    if (mode.find("gather4") != std::string_view::npos || mode.find("scatter4") != std::string_view::npos ||
        mode.starts_with(".im2col::w"))
        d.fail(fmt::format("{}: {} needs sm_100 or newer (Blackwell); the modelled GPU is sm_90 (Hopper)",
                           d.source.opcode, mode));
    if (d.has(".cta_group"))
        d.fail(fmt::format("{}: .cta_group needs sm_100 or newer (Blackwell); the modelled GPU is sm_90 (Hopper)",
                           d.source.opcode));
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

bool find_tile(Exec& x, const Op& op, const TensorOperands& operands, int lane, uint32_t shared, TileUse use,
               Tile& out) {
    if (!read_map(x, op, operands, lane, use, out))
        return false;
    async::TensorMap& map = out.map;
    const uint32_t element = map.unit();
    out.about = async::describe(map);
    for (uint32_t d = 0; d < operands.rank; ++d)
        out.coordinates[d] = x.lanes<int32_t>(operands.coordinate[d])[lane];
    if (map.rank != operands.rank)
        return refuse(x, op, "invalid-tensor-map", "used a tensor map that does not fit the instruction",
                      fmt::format("The map has rank {}, but the copy is {}-dimensional. "
                                  "(tensormap.replace of .rank takes the rank minus one.)",
                                  map.rank, operands.rank));
    if (const std::string why = async::unusable(map, operands.im2col); !why.empty())
        return refuse(x, op, "invalid-tensor-map", "used a tensor map that is not valid",
                      fmt::format("The map ({}) cannot be used: {}{}.", out.about, why, remark(map)));
    if (use != TileUse::prefetch && shared % 128)
        return refuse(x, op, "misaligned-copy", "copied with a misaligned shared address",
                      fmt::format("The tile lies at shared address {}: "
                                  "tensor copies need a multiple of 128 bytes (alignas(128)).",
                                  shared - reserved_shared),
                      Fault::misaligned_address);
    if (int64_t{out.coordinates[0]} * element % 16)
        return refuse(x, op, "misaligned-copy", "copied a tile with a misaligned inner coordinate",
                      fmt::format("The tile starts at element {} of the inner dimension; "
                                  "with {}-byte elements that is no multiple of 16 bytes.",
                                  out.coordinates[0], element));
    if (use == TileUse::store)
        for (uint32_t d = 0; d < operands.rank; ++d)
            if (out.coordinates[d] < 0)
                return refuse(x, op, "negative-store-start", "stored a tile at a negative coordinate",
                              fmt::format("Coordinate {} of the store is {}: "
                                          "stores may reach beyond the end of a tensor, "
                                          "but must not start before its beginning.",
                                          d, out.coordinates[d]));
    std::array<int32_t, 3> offsets{};
    for (size_t n = 0; n < offsets.size(); ++n)
        if (operands.im2col_offset[n].exists())
            offsets[n] = x.lanes<uint16_t>(operands.im2col_offset[n])[lane];
    const std::span<const int32_t> at(out.coordinates.data(), operands.rank);
    if (const std::string why = operands.im2col ? async::outside_pixel_box(map, at) : ""; !why.empty())
        return refuse(x, op, "out-of-bounds", "started an im2col copy outside the pixel box", why);
    for (const auto& piece : operands.im2col ? async::im2col_tile(map, at, offsets, shared, use == TileUse::store)
                                             : async::tile(map, at, shared, use == TileUse::store)) {
        if (use != TileUse::prefetch && uint64_t{piece.offset} + piece.bytes > x.block.shared.size()) {
            const std::string message =
                fmt::format("the tile ({}) at shared address {} leaves the block's {} bytes of shared memory{}",
                            out.about, shared - reserved_shared, x.block.shared.size() - reserved_shared, remark(map));
            if (x.observer)
                x.observer->problem(&x.warp, x.mask, &op, "out-of-bounds", message);
            return x.fail(Fault::illegal_address, message) == Flow::next;
        }
        out.pieces.push_back({nullptr, piece.inside ? piece.address : 0, piece.offset, piece.bytes});
        out.bytes.push_back({piece.address, piece.offset, piece.bytes, piece.inside});
    }
    return use == TileUse::prefetch || check_global(x, op, out, use);
}

} // namespace sim::instructions
