#include "sim/ptx/declarations.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/ptx/declaration_reader.h"
#include "sim/ptx/source_texts.h"
#include "sim/ptx/toolkit_files.h"

namespace sim::ptx {
namespace {

/// A part of a variable; nullopt: not known, or `fits` is false: it is another variable of that name.
struct Member {
    std::optional<std::string> text;
    bool fits = true;
};

/// "[1][3]" for an element of an array, and which byte of the element it is.
std::optional<std::string> indices(const Declared& declared, std::vector<uint64_t> dimensions, uint64_t& offset) {
    uint64_t bytes = declared.type.bytes;
    std::string text;
    for (size_t i = dimensions.size(); i-- > 0;) {
        const uint64_t index = offset / bytes;
        const bool first = i == 0; // its index may be too large
        if (!first && dimensions[i] == 0)
            return std::nullopt;
        text.insert(0, fmt::format("[{}]", first ? index : index % dimensions[i]));
        bytes *= std::max<uint64_t>(dimensions[i], 1);
    }
    offset %= declared.type.bytes;
    return text;
}

std::optional<std::string> member(const DeclaredType& type, uint64_t offset) {
    if (!type.members)
        return std::string();
    for (const auto& [begin, one] : type.members->members) {
        uint64_t bytes = one.type.bytes;
        for (const uint64_t count : one.dimensions)
            bytes *= count;
        if (offset < begin || offset - begin >= bytes)
            continue;
        uint64_t rest = offset - begin;
        const auto at = indices(one, one.dimensions, rest);
        const auto inner = at ? member(one.type, rest) : std::nullopt;
        return inner ? std::optional("." + one.name + *at + *inner) : std::nullopt;
    }
    return std::nullopt; // padding
}

Member part_of(const Declared& declared, uint64_t bytes, uint64_t offset) {
    if (!declared.type.bytes)
        return {std::nullopt};
    std::vector<uint64_t> dimensions = declared.dimensions;
    uint64_t known = declared.type.bytes;
    for (const uint64_t count : dimensions)
        known *= std::max<uint64_t>(count, 1);
    const auto unknown = std::ranges::count(dimensions, 0u);
    if (!known || unknown > 1 || (unknown && !bytes && dimensions[0]))
        return {std::nullopt};
    if (bytes && (unknown ? bytes % known != 0 : bytes != known))
        return {std::nullopt, false};
    if (unknown && bytes)
        *std::ranges::find(dimensions, 0u) = bytes / known;
    const auto at = indices(declared, std::move(dimensions), offset);
    const auto inner = at ? member(declared.type, offset) : std::nullopt;
    return {inner ? std::optional(*at + *inner) : std::nullopt};
}

} // namespace

uint64_t bytes_of_type(std::string_view name) {
    static constexpr std::pair<std::string_view, uint64_t> types[] = {
        {"bool", 1},        {"char", 1},           {"int8_t", 1},        {"uint8_t", 1},      {"byte", 1},
        {"short", 2},       {"int16_t", 2},        {"uint16_t", 2},      {"half", 2},         {"__half", 2},
        {"bfloat16", 2},    {"__nv_bfloat16", 2},  {"int", 4},           {"unsigned int", 4}, {"unsigned", 4},
        {"uint", 4},        {"int32_t", 4},        {"uint32_t", 4},      {"float", 4},        {"__half2", 4},
        {"half2", 4},       {"__nv_bfloat162", 4}, {"long", 8},          {"long long", 8},    {"unsigned long", 8},
        {"int64_t", 8},     {"uint64_t", 8},       {"size_t", 8},        {"double", 8},       {"float2", 8},
        {"int2", 8},        {"uint2", 8},          {"barrier", 8},       {"__mbarrier_t", 8}, {"unsigned long long", 8},
        {"float3", 12},     {"int3", 12},          {"uint3", 12},        {"float4", 16},      {"int4", 16},
        {"uint4", 16},      {"double2", 16},       {"longlong2", 16},    {"ulonglong2", 16},  {"unsigned char", 1},
        {"signed char", 1}, {"unsigned short", 2}, {"CUtensorMap", 128},
    };
    const auto found = std::ranges::find(types, name, &std::pair<std::string_view, uint64_t>::first);
    return found == std::end(types) ? 0 : found->second;
}

Declarations::Declarations(const std::vector<std::string>& files) {
    std::vector<std::string> texts;
    for (const std::string& file : files)
        texts.push_back(file.empty() || is_toolkit_file(file) ? std::string() : source_text(file));
    for (const bool last : {false, true}) { // a header may come behind what uses it
        variables_.clear();
        parameters_.clear();
        for (size_t file = 0; file < texts.size(); ++file)
            DeclarationReader(*this, file, texts[file], last).read();
    }
}

std::optional<std::string> Declarations::part(std::string_view name, uint64_t bytes, uint64_t offset,
                                              size_t file) const {
    std::optional<std::string> result;
    const auto [first, last] = variables_.equal_range(name);
    const bool own = std::any_of(first, last, [&](const auto& one) { return one.second.file == file; });
    for (auto it = first; it != last; ++it) {
        if (own && it->second.file != file)
            continue;
        const Member part = part_of(it->second.what, bytes, offset);
        if (!part.fits)
            continue;
        if (!part.text || (result && *result != *part.text))
            return std::nullopt;
        result = part.text;
    }
    return result;
}

std::vector<std::string> Declarations::parameters(std::string_view name, size_t count, size_t file) const {
    std::vector<std::string> result;
    const auto [first, last] = parameters_.equal_range(name);
    const bool own = std::any_of(first, last, [&](const auto& one) { return one.second.file == file; });
    for (auto it = first; it != last; ++it) {
        if (it->second.what.size() != count || (own && it->second.file != file))
            continue;
        if (!result.empty() && result != it->second.what)
            return {};
        result = it->second.what;
    }
    return result;
}

} // namespace sim::ptx
