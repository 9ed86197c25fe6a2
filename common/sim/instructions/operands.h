// Operands of register-to-register instructions: reading them with their widths checked, and choosing a handler by
// type.
#pragma once

#include "sim/instructions/records.h"

namespace sim::instructions {

inline uint32_t bytes_of(Type type) {
    return type.bits / 8;
}
inline bool is_float(Type type) {
    return type.kind == Kind::floating || type.kind == Kind::brain_float;
}
inline bool is_signed(Type type) {
    return type.kind == Kind::signed_int;
}

/// The last type named in the opcode: the instruction's type where there is only one.
Type last_type(const Decoder&);

/// Operand `i` as a destination with exactly `bytes` bytes per lane; throws DecodeError for anything else.
OperandRef destination(Decoder&, const ptx::Operand&, uint32_t bytes);
inline OperandRef destination(Decoder& d, size_t i, uint32_t bytes) {
    return destination(d, d.operand(i), bytes);
}
/// The same for a predicate.
OperandRef predicate_destination(Decoder&, const ptx::Operand&);

/// d, a, b, c, e := the instruction's operands, all `bytes` wide.
void same_width(Decoder&, uint32_t bytes);

/// Calls pick.operator()<T>() with the C++ type of an integer or untyped PTX type (untyped: unsigned).
template <class Pick>
Handler for_integer(Decoder& d, Type type, Pick pick) {
    const bool s = is_signed(type);
    switch (type.bits) {
    case 16:
        return s ? pick.template operator()<int16_t>() : pick.template operator()<uint16_t>();
    case 32:
        return s ? pick.template operator()<int32_t>() : pick.template operator()<uint32_t>();
    case 64:
        return s ? pick.template operator()<int64_t>() : pick.template operator()<uint64_t>();
    default:
        d.fail(std::string(d.source.opcode) + ": no integer of this width");
    }
}

/// The same for 32- and 64-bit types, where nothing narrower exists.
template <class Pick>
Handler for_wide_integer(Decoder& d, Type type, Pick pick) {
    const bool s = is_signed(type);
    switch (type.bits) {
    case 32:
        return s ? pick.template operator()<int32_t>() : pick.template operator()<uint32_t>();
    case 64:
        return s ? pick.template operator()<int64_t>() : pick.template operator()<uint64_t>();
    default:
        d.fail(std::string(d.source.opcode) + ": only for 32 and 64 bits");
    }
}

} // namespace sim::instructions
