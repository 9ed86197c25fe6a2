#include "sim/ptx/module.h"

#include <array>

namespace sim::ptx {
namespace {

struct NamedType {
    std::string_view name;
    Type type;
};

constexpr std::array named_types{
    NamedType{"b8", {Kind::bits, 8, false}},
    NamedType{"b16", {Kind::bits, 16, false}},
    NamedType{"b32", {Kind::bits, 32, false}},
    NamedType{"b64", {Kind::bits, 64, false}},
    NamedType{"b128", {Kind::bits, 128, false}},
    NamedType{"u8", {Kind::unsigned_int, 8, false}},
    NamedType{"u16", {Kind::unsigned_int, 16, false}},
    NamedType{"u32", {Kind::unsigned_int, 32, false}},
    NamedType{"u64", {Kind::unsigned_int, 64, false}},
    NamedType{"s8", {Kind::signed_int, 8, false}},
    NamedType{"s16", {Kind::signed_int, 16, false}},
    NamedType{"s32", {Kind::signed_int, 32, false}},
    NamedType{"s64", {Kind::signed_int, 64, false}},
    NamedType{"f16", {Kind::floating, 16, false}},
    NamedType{"f32", {Kind::floating, 32, false}},
    NamedType{"f64", {Kind::floating, 64, false}},
    NamedType{"f16x2", {Kind::floating, 32, true}},
    NamedType{"f32x2", {Kind::floating, 64, true}},
    NamedType{"bf16", {Kind::brain_float, 16, false}},
    NamedType{"bf16x2", {Kind::brain_float, 32, true}},
    NamedType{"u16x2", {Kind::unsigned_int, 32, true}},
    NamedType{"s16x2", {Kind::signed_int, 32, true}},
    NamedType{"pred", {Kind::predicate, 1, false}},
    NamedType{"tf32", {Kind::other, 32, false}},
    NamedType{"b1", {Kind::other, 1, false}},
    NamedType{"u4", {Kind::other, 4, false}},
    NamedType{"s4", {Kind::other, 4, false}},
    NamedType{"e4m3", {Kind::other, 8, false}},
    NamedType{"e5m2", {Kind::other, 8, false}},
    NamedType{"e4m3x2", {Kind::other, 16, true}},
    NamedType{"e5m2x2", {Kind::other, 16, true}},
    NamedType{"texref", {Kind::other, 64, false}},
    NamedType{"samplerref", {Kind::other, 64, false}},
    NamedType{"surfref", {Kind::other, 64, false}},
};

} // namespace

std::optional<Type> type_named(std::string_view modifier) {
    if (modifier.starts_with('.'))
        modifier.remove_prefix(1);
    for (const NamedType& named : named_types)
        if (named.name == modifier)
            return named.type;
    return std::nullopt;
}

} // namespace sim::ptx
