// tensormap.replace: one field of a tensor map, in PTX's own encodings.
#include <cstring>

#include "sim/instructions/tensor_operands.h"

namespace sim::instructions::tensormap_replace {
namespace {

using async::TensorMap;

enum class Field : uint32_t {
    global_address,
    rank,
    box_dim,
    global_dim,
    global_stride,
    element_stride,
    elemtype,
    interleave_layout,
    swizzle_mode,
    swizzle_atomicity,
    fill_mode,
    count
};
constexpr std::string_view field_names[] = {
    ".global_address", ".rank",     ".box_dim",           ".global_dim",   ".global_stride",
    ".element_stride", ".elemtype", ".interleave_layout", ".swizzle_mode", ".swizzle_atomicity",
    ".fill_mode"};

void replace(TensorMap& map, Field field, uint32_t ordinal, uint64_t value) {
    switch (field) {
    case Field::global_address:
        map.address = value;
        map.address_replaced = true;
        break;
    case Field::rank: // "rank minus one"
        map.rank = uint32_t(value & 0xff) + 1;
        break;
    case Field::box_dim:
        map.box[ordinal] = uint32_t(value);
        break;
    case Field::global_dim: // 0 stands for 2^32
        map.dim[ordinal] = uint32_t(value) ? uint32_t(value) : uint64_t{1} << 32;
        break;
    case Field::global_stride:
        map.stride[ordinal] = value;
        break;
    case Field::element_stride:
        map.element_stride[ordinal] = uint32_t(value);
        break;
    case Field::elemtype:
        map.type = async::ElementType(value);
        map.type_replaced = true;
        break;
    case Field::interleave_layout:
        map.interleave = async::Interleave(value);
        break;
    case Field::swizzle_mode:
        map.swizzle = async::Swizzle(value);
        break;
    case Field::swizzle_atomicity:
        map.atom = async::Atom(value);
        break;
    default:
        map.fill = async::Fill(value);
        break;
    }
}

// op.small: field | ordinal << 8
Flow replace_field(Exec& x, const Op& op) {
    const auto field = Field(op.small & 0xff);
    const uint32_t ordinal = op.small >> 8;
    Resolved where;
    if (!locate(x, op, op.address, 128, 64, Direction::store, where))
        return Flow::fault;
    if (where.local)
        return x.fail(Fault::illegal_instruction, "tensormap.replace works on a map in shared or global memory");
    observe(x, op, where, Access::Kind::store, Semantics::weak, Scope::cta, 128);
    return lane_by_lane(x, [&](int lane) {
        const uint64_t value = op.width == 8 ? x.lanes<uint64_t>(op.a)[lane] : uint64_t{x.lanes<uint32_t>(op.a)[lane]};
        const uint64_t most = field == Field::box_dim ? 256 : field == Field::element_stride ? 8 : UINT64_MAX;
        if (const uint64_t least = field == Field::box_dim || field == Field::element_stride;
            value < least || value > most) {
            const std::string what = fmt::format("tensormap.replace{} of dimension {} with {}: it is 1 to {}",
                                                 field_names[size_t(field)], ordinal, value, most);
            if (x.listener)
                x.listener->misuse(&x.warp, x.mask, &op,
                                   events::InvalidMap{events::InvalidMap::Part::replaced_field, what + "."});
            return x.fail(Fault::illegal_instruction, what) == Flow::next;
        }
        std::array<std::byte, 128> bytes;
        std::memcpy(bytes.data(), where.pointer[lane], bytes.size());
        TensorMap map = TensorMap::unpack(bytes);
        replace(map, field, ordinal, value);
        bytes = map.pack();
        std::memcpy(where.pointer[lane], bytes.data(), bytes.size());
        ++x.grid.activity;
        ++x.grid.statistics.map_replacements;
        return true;
    });
}

/// The highest value of a field that takes an immediate, and from which on it needs newer targets.
struct Values {
    uint64_t highest, older;
    std::string_view targets = "sm_100f sm_110f sm_120f";
};
Values values(Field field) {
    switch (field) {
    case Field::elemtype:
        return {uint64_t(async::ElementType::count) - 1, uint64_t(async::ElementType::tf32_ftz)};
    case Field::interleave_layout:
        return {2, 2};
    case Field::swizzle_mode:
        return {4, 3, "sm_103a"};
    case Field::swizzle_atomicity: // the qualifier itself is newer, but 0 is what older targets do
        return {3, 0};
    default:
        return {1, 1};
    }
}

Handler decode(Decoder& d) {
    const auto name = d.value(".field").empty() ? d.value(".dimension_field") : d.value(".field");
    uint32_t field = 0;
    while (field_names[field] != name)
        ++field;
    const auto which = Field(field);
    d.op.address = d.address(0, d.space(".ss"));
    uint32_t ordinal = 0;
    size_t at = 1;
    if (!d.value(".dimension_field").empty()) {
        const uint64_t most = which == Field::global_stride ? 3 : 4;
        if (d.immediate(at) > most)
            d.fail(fmt::format("{}: the ordinal is 0 to {}", d.source.opcode, most));
        ordinal = uint32_t(d.immediate(at++));
    }
    const bool wide = which == Field::global_address || which == Field::global_stride;
    d.op.width = wide ? 8 : 4;
    if ((d.value(".type") == ".b64") != wide)
        d.fail(fmt::format("{}: {} takes .b{}", d.source.opcode, name, wide ? 64 : 32));
    if (which >= Field::elemtype) {
        const uint64_t value = d.immediate(at);
        const Values known = values(which);
        if (value > known.highest)
            d.fail(fmt::format("{}: {} has the values 0 to {}, not {}", d.source.opcode, name, known.highest, value));
        if (value > known.older)
            d.need(known.targets, fmt::format("{}: value {} of {}", d.source.opcode, value, name));
    }
    d.op.a = d.read(at, d.op.width);
    d.op.small = field | ordinal << 8;
    return replace_field;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "tensormap.replace",
        .syntax = R"(
        tensormap.replace.tile.field{.ss}.b1024.type [addr], new_val;
        tensormap.replace.tile.dimension_field{.ss}.b1024.type [addr], ord, new_val;
        .field = { .global_address, .rank, .elemtype, .interleave_layout, .swizzle_mode, .swizzle_atomicity, .fill_mode };
        .dimension_field = { .box_dim, .global_dim, .global_stride, .element_stride };
        .ss = { .global, .shared{::cta} };
        .type = { .b32, .b64 };
)",
        .isa = 83,
        .sm = 90,
        .manual = "data-movement-and-conversion-instructions-tensormap-replace",
        .decode = decode,
        .use = Use::sink,
        .effects = {{"", effect::stores}},
    },
};

} // namespace sim::instructions::tensormap_replace
