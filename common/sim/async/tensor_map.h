// Tensor maps: the 128-byte object, its encoding on the host (cuTensorMapEncodeTiled) and the bytes that one tile
// touches. Sources: CUDA driver API, "Tensor Map Object Management"; PTX ISA, "Tensors". No dependence on the machine:
// the CUDA runtime in the user's process encodes maps, too.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::async {

/// Element types in PTX's own numbering (tensormap.replace .elemtype). The driver's enum is different.
enum class ElementType : uint8_t {
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f32_ftz,
    f64,
    bf16,
    tf32,
    tf32_ftz,
    b4x16,     ///< sixteen 4-bit elements in 8 bytes
    b4x16_p64, ///< in shared memory, 8 bytes of padding follow
    b6x16_p32, ///< sixteen 6-bit elements in 12 bytes; in shared memory, 4 bytes of padding follow
    count
};
/// Bytes of an element in shared memory; of the packed types, whose elements are parts of a byte: 1 (see Packing).
uint32_t element_bytes(ElementType type);
bool is_floating(ElementType type);

/// Elements that are parts of a byte, sixteen at a time.
struct Packing {
    uint32_t global = 0, shared = 0; ///< bytes that sixteen elements take; 0: the type is not packed
    bool padded() const { return shared > global; }
};
Packing packing(ElementType type);

enum class Interleave : uint8_t { none, bytes16, bytes32 };
enum class Swizzle : uint8_t { none, span32, span64, span128, span96 }; ///< numbered as PTX does
/// What a 128-byte swizzle keeps together (sm_100).
enum class Atom : uint8_t { bytes16, bytes32, bytes32_flip8, bytes64 };
enum class Fill : uint8_t { zeros, nan };
/// How a copy walks through the tensor. `im2col_w`, `im2col_w128`: also the kinds of map for them.
enum class LoadMode : uint8_t { tile, four_rows, im2col, im2col_w, im2col_w128 };
constexpr bool is_im2col(LoadMode mode) {
    return mode >= LoadMode::im2col;
}

struct TensorMap {
    uint64_t address = 0;
    uint32_t rank = 1;
    ElementType type = ElementType::u8;
    Interleave interleave = Interleave::none;
    Swizzle swizzle = Swizzle::none;
    Atom atom = Atom::bytes16;
    Fill fill = Fill::zeros;
    uint8_t l2_promotion = 0;
    bool im2col = false;
    LoadMode wide = LoadMode::im2col;           ///< of an im2col map: which of the im2col modes it is for
    bool type_replaced = false;                 ///< by tensormap.replace: for reports
    bool address_replaced = false;              ///< likewise
    bool changed = false;                       ///< by a write to some of its bytes
    std::array<uint64_t, 5> dim{1, 1, 1, 1, 1}; ///< elements, fastest first
    std::array<uint64_t, 4> stride{};           ///< bytes, of dimensions 1..4
    std::array<uint32_t, 5> box{1, 1, 1, 1, 1}; ///< elements
    std::array<uint32_t, 5> element_stride{1, 1, 1, 1, 1};
    std::array<int16_t, 3> lower_corner{}, upper_corner{}; ///< im2col
    uint32_t channels_per_pixel = 1, pixels_per_column = 1;

    /// The opaque object. All zero bytes are a map of rank 1 with every extent 1: tensormap.replace can start from it.
    std::array<std::byte, 128> pack() const;
    static TensorMap unpack(std::span<const std::byte, 128> bytes);

    /// Elements of a tile in dimension `d`: the box, thinned out by the element stride (which dimension 0 has only in
    /// interleaved layouts). A copy takes one of the slices of channels of an interleaved layout, the last dimension
    /// but one, regardless of the box.
    uint32_t extent(uint32_t d) const;
    /// Bytes that one step along dimension 0 takes: an element's, or 16 or 32 in interleaved layouts.
    uint32_t unit() const;
    /// From one row (or im2col pixel) of `bytes` bytes to the next in shared memory: a swizzled row takes the whole
    /// span.
    uint32_t pitch(uint32_t bytes) const;
    uint32_t swizzle_span() const;   ///< bytes of a row that the swizzle permutes; 0: there is none
    uint32_t swizzle_period() const; ///< bytes after which the swizzle's pattern repeats
    /// Contiguous bytes that a swizzle keeps together.
    uint32_t swizzle_unit() const { return atom == Atom::bytes32_flip8 ? 8 : 16; }
    uint64_t tile_bytes() const; ///< what a load counts on its mbarrier, out-of-bounds elements included
    /// The same for an im2col load. `halo`: of the modes im2col_w and im2col_w128.
    uint64_t im2col_bytes(LoadMode mode = LoadMode::im2col, uint32_t halo = 0) const;
    /// One of them.
    uint64_t copy_bytes(LoadMode mode, uint32_t halo) const;
    /// Does it need a GPU of the sm_100 family?
    bool is_newer() const;
    /// The value for elements outside the tensor, repeated to 16 bytes.
    std::array<std::byte, 16> fill_pattern() const;
};

/// cuTensorMapEncodeTiled's parameters, as integers, so that illegal values can be recognised.
struct EncodeTiled {
    void* map;
    uint32_t type, rank;
    uint64_t address;
    const uint64_t* dim;
    const uint64_t* stride;
    const uint32_t* box;
    const uint32_t* element_stride;
    uint32_t interleave, swizzle, l2_promotion, fill;
    uint32_t sm = 90; ///< of the device
};
/// Empty: *parameters.map is written. Else which documented rule the parameters break (CUDA_ERROR_INVALID_VALUE).
std::string encode_tiled(const EncodeTiled& parameters);

/// cuTensorMapEncodeIm2col's parameters; `lower` and `upper`: corners of the box of pixels, rank - 2 elements each.
struct EncodeIm2col {
    void* map;
    uint32_t type, rank;
    uint64_t address;
    const uint64_t* dim;
    const uint64_t* stride;
    const int* lower;
    const int* upper;
    uint32_t channels, pixels;
    const uint32_t* element_stride;
    uint32_t interleave, swizzle, l2_promotion, fill;
    uint32_t sm = 90; ///< of the device
    /// cuTensorMapEncodeIm2colWide: im2col_w or im2col_w128; `lower` and `upper` have one element then.
    LoadMode mode = LoadMode::im2col;
};
/// As encode_tiled.
std::string encode_im2col(const EncodeIm2col& parameters);

/// Contiguous bytes of a tile. `inside` false: outside the tensor.
struct TileBytes {
    uint64_t address; ///< global; meaningless when outside
    uint32_t offset;  ///< shared, swizzled
    uint32_t bytes;
    bool inside;
};
/// The bytes of the tile at `coordinates` (elements, fastest first), placed at shared offset `shared`. Stores and
/// reductions (`to_global`) touch whole pieces of 16 bytes: when a row of the tensor ends within one, the rest of that
/// piece counts as inside, too (measured: docs/fidelity.md).
std::vector<TileBytes> tile(const TensorMap& map, std::span<const int32_t> coordinates, uint32_t shared,
                            bool to_global = false);
/// .tile::gather4 and .tile::scatter4: four boxes of one row each, one behind the other in shared memory, at
/// `coordinates` {column, row, row, row, row}. PTX ISA, ".tile::scatter4 and .tile::gather4 modes".
std::vector<TileBytes> four_rows(const TensorMap& map, std::span<const int32_t> coordinates, uint32_t shared,
                                 bool to_global = false);

/// The bytes of an im2col load: pixels_per_column pixels of channels_per_pixel elements from `coordinates` (c, w, h, d,
/// n) on, row by row through the bounding box, each moved by `offsets` (w, h, d). PTX ISA, "Im2col mode". In
/// interleaved layouts the coordinates are (w, h, d, slice of channels, n), and a pixel is a slice.
std::vector<TileBytes> im2col_tile(const TensorMap& map, std::span<const int32_t> coordinates,
                                   std::span<const int32_t> offsets, uint32_t shared, bool to_global = false);
/// The same for im2col::w and im2col::w::128, which walk along w only, in the images from the given one on. `offset`
/// moves the box and the start; `halo` pixels beyond the last one follow, or beyond every 32nd. PTX ISA, "im2col::w and
/// im2col::w::128 modes".
std::vector<TileBytes> im2col_w_tile(const TensorMap& map, LoadMode mode, std::span<const int32_t> coordinates,
                                     uint32_t halo, int32_t offset, uint32_t shared);
/// Why an im2col copy cannot start there; empty: it can.
std::string outside_pixel_box(const TensorMap& map, LoadMode mode, std::span<const int32_t> coordinates);

/// Why a copy cannot use this map (tensormap.replace can write what the encoder would refuse); empty: it can.
std::string unusable(const TensorMap& map, LoadMode mode);
/// "box 64 x 32 of f32, 128-byte swizzle", for reports.
std::string describe(const TensorMap& map);
std::string_view name(ElementType type);
/// What PTX's number of the element type means, if tensormap.replace has set one that the driver's enum uses for
/// another type; else empty.
std::string type_remark(const TensorMap& map);
/// The map with the type that the driver's enum has at this number, if that type has another size.
std::optional<TensorMap> with_driver_type(const TensorMap& map);
/// CUtensorMapDataType's `number`-th type, if there is one: the order is not PTX's.
std::optional<ElementType> driver_type(uint32_t number);

/// Swizzled shared address: an XOR of address bits (128 B: bits 6-4 with 9-7; 64 B: 5-4 with 8-7; 32 B and 96 B: 4 with
/// 7; 128 B in atoms of 32 B: bits 6-5 with 8-7, and for the flip of 8 B also 3 with 7; of 64 B: 6 with 7).
uint32_t swizzled(Swizzle swizzle, uint32_t address, Atom atom = Atom::bytes16);

} // namespace sim::async
