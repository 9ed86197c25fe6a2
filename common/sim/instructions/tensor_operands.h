// Shared by the tensor copies: the map and coordinates of one lane, checked as an sm_90 checks them, and the bytes of
// its tile.
#pragma once

#include "sim/async/tensor_map.h"
#include "sim/instructions/bulk_operands.h"

namespace sim::instructions {

/// Operands of a tensor copy beyond those of Op.
struct TensorOperands {
    AddressRef map;
    uint32_t rank = 1; ///< of the instruction: .1d to .5d
    async::LoadMode mode = async::LoadMode::tile;
    bool own = false;  ///< .shared::cta: the destination is the block's own
    bool pair = false; ///< .cta_group::2: the mbarrier may be the peer's
    std::array<OperandRef, 5> coordinate;
    std::array<OperandRef, 3> im2col_offset; ///< of the modes im2col::w: the halo and the offset
    AddressRef shared, barrier;
    uint32_t coordinates() const { return mode == async::LoadMode::four_rows ? 5 : rank; }
    bool walks_along_w() const { return mode > async::LoadMode::im2col; }
    OperandRef cta_mask;   ///< .multicast::cluster
    OperandRef policy;     ///< .L2::cache_hint
    std::string reduction; ///< .redOp; empty: a copy
};

/// Reads `[map, {c0, …}]` from operand `i`, and .dim and the load mode from the form. Throws DecodeError.
TensorOperands tensor_operands(Decoder& d, size_t i);
/// Reads im2colInfo: the offsets of .im2col, or the halo and the offset of .im2col::w and .im2col::w::128.
void read_im2col_info(Decoder& d, TensorOperands& tensor, const ptx::Operand& info);

struct Tile {
    async::TensorMap map;
    uint64_t copied = 0; ///< bytes that a load counts on its mbarrier
    uint32_t halo = 0;   ///< of the modes im2col::w
    bool map_in_global = false;
    std::array<int32_t, 5> coordinates{};
    std::vector<async::Piece> pieces;
    std::vector<events::BulkBytes> bytes; ///< the same, for listeners
    std::string about;                    ///< "box 64 x 32 of f32", for reports
};

enum class TileUse : uint8_t { load, store, prefetch };

/// The tile of the one executing lane at shared offset `shared`. False: reported, return Flow::fault.
bool find_tile(Exec& x, const Op& op, const TensorOperands& operands, int lane, uint32_t shared, TileUse use,
               Tile& out);

} // namespace sim::instructions
