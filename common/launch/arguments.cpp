#include "launch/arguments.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/async/tensor_map.h"
#include "sim/machine/program.h"

namespace launch {

namespace {

constexpr uint64_t any = uint64_t{1} << 53;

/// Sizes, each a number or a formula; `otherwise` if there are none.
template <class Size>
std::vector<Size> sizes(const std::optional<Part>& part, const Names& names, std::vector<Size> otherwise) {
    if (!part)
        return otherwise;
    std::vector<Size> all;
    for (const Part& item : part->items())
        all.push_back(Size(item.size(names, 0, std::min<uint64_t>(any, std::numeric_limits<Size>::max()))));
    return all;
}

uint32_t choice(const Part& record, std::string_view key, std::initializer_list<std::string_view> words) {
    const auto part = record.find(key);
    return part ? part->choice(words) : 0;
}

// CUtensorMapDataType, in the order of Type; it has no s8 and s16.
uint32_t map_type(const Part& record, const Buffer& buffer) {
    constexpr std::array<uint32_t, 12> types{0, 0, 1, 1, 2, 3, 4, 5, 6, 9, 7, 8};
    if (const auto part = record.find("type"))
        if (const std::string& name = part->text("type = \"f16\""); name == "tf32" || name == "f32.ftz")
            return name == "tf32" ? 11 : 10;
    return types[size_t(type_of(record, buffer.type))];
}

std::array<std::byte, 128> encode_map(const Part& record, const std::vector<Buffer>& buffers, const Names& names) {
    record.only({"buffer", "offset", "type", "size", "box", "stride", "element_stride", "swizzle", "interleave", "l2",
                 "outside"});
    const Buffer& buffer = buffer_named(buffers, record.at("buffer", "buffer = \"in\""));
    const auto dim = sizes<uint64_t>(record.at("size", "size = [64, 32]"), names, {});
    const auto box = sizes<uint32_t>(record.at("box", "box = [16, 16]"), names, {});
    const size_t rank = dim.size();
    if (rank < 1 || rank > 5 || box.size() != rank)
        record.fail("a tensor map needs 1 to 5 sizes, and as many for its box", "compare \"size\" and \"box\"");
    std::vector<uint64_t> dense;
    for (uint64_t d = 0, bytes = bytes_of(type_of(record, buffer.type)); d + 1 < rank; ++d)
        dense.push_back(bytes *= dim[d]);
    const auto stride = sizes<uint64_t>(record.find("stride"), names, dense);
    const auto element_stride = sizes<uint32_t>(record.find("element_stride"), names, std::vector<uint32_t>(rank, 1));
    if (stride.size() + 1 != rank || element_stride.size() != rank)
        record.fail(
            "a tensor map needs a stride in bytes for each dimension but the first, and an element stride for each",
            "give as many as there are dimensions, or leave them out");
    const auto offset = record.find("offset");
    alignas(64) std::array<std::byte, 128> map{};
    const std::string why = sim::async::encode_tiled(
        {map.data(), map_type(record, buffer), uint32_t(rank),
         buffer.address + (offset ? offset->size(names, 0, any) : 0), dim.data(), stride.data(), box.data(),
         element_stride.data(), choice(record, "interleave", {"none", "16B", "32B"}),
         choice(record, "swizzle", {"none", "32B", "64B", "128B"}),
         choice(record, "l2", {"none", "64B", "128B", "256B"}), choice(record, "outside", {"zeros", "nan"})});
    if (!why.empty())
        record.fail(fmt::format("cuTensorMapEncodeTiled refuses the map of {}: {}", buffer.name, why),
                    "change the fields of the map");
    return map;
}

/// The bytes of one argument: {"buffer"}, {"value", "type"} or {"map": {…}}.
std::vector<std::byte> argument(const Part& record, const std::vector<Buffer>& buffers, const Names& names,
                                uint64_t bytes) {
    record.only({"buffer", "offset", "value", "type", "map"});
    std::vector<std::byte> argument;
    const auto append = [&](const void* data, size_t size) {
        const auto* first = static_cast<const std::byte*>(data);
        argument.insert(argument.end(), first, first + size);
    };
    if (const auto name = record.find("buffer")) {
        const auto offset = record.find("offset");
        const uint64_t address = buffer_named(buffers, *name).address + (offset ? offset->size(names, 0, any) : 0);
        append(&address, sizeof address);
    } else if (const auto map = record.find("map")) {
        const auto encoded = encode_map(*map, buffers, names);
        append(encoded.data(), encoded.size());
    } else if (const auto value = record.find("value")) {
        const auto items = value->items();
        const uint64_t each = items.empty() ? 0 : bytes / items.size();
        const Type type = type_of(record, each == 8   ? Type::s64
                                          : each == 4 ? Type::s32
                                          : each == 2 ? Type::s16
                                                      : Type::s8);
        for (const Part& item : items) {
            std::array<std::byte, 8> one{};
            store(type, item.number(names), one.data());
            append(one.data(), bytes_of(type));
        }
    } else
        record.fail("an argument is neither a buffer nor a value nor a map",
                    R"(write {buffer = "in"}, {value = 4, type = "s32"} or {map = {…}})");
    return argument;
}

} // namespace

std::string base_name(const std::string& mangled) {
    size_t at = mangled.starts_with("_Z") ? 2 : std::string::npos, length = 0;
    while (at < mangled.size() && mangled[at] >= '0' && mangled[at] <= '9')
        length = 10 * length + size_t(mangled[at++] - '0');
    return length && at + length <= mangled.size() ? mangled.substr(at, length) : mangled;
}

std::vector<std::byte> make_parameters(const Part& record, const sim::machine::Kernel& kernel, const Names& numbers,
                                       const std::vector<Buffer>& buffers) {
    const auto& params = kernel.function->params;
    const auto part = record.find("arguments");
    const std::vector<Part> arguments = part ? part->items() : std::vector<Part>{};
    if (arguments.size() != params.size())
        (part ? *part : record)
            .fail(fmt::format("the kernel {} has {} parameters, and \"arguments\" has {} entries",
                              base_name(kernel.function->name), params.size(), arguments.size()),
                  "give one argument for each parameter, in their order");
    std::vector<std::byte> block(kernel.parameter_bytes);
    for (size_t i = 0; i < params.size(); ++i) {
        const auto bytes = argument(arguments[i], buffers, numbers, params[i].bytes);
        if (bytes.size() != params[i].bytes)
            arguments[i].fail(fmt::format("parameter {} of the kernel has {} bytes, and its argument {}", i + 1,
                                          params[i].bytes, bytes.size()),
                              "set the argument's \"type\" to that of the parameter");
        std::copy(bytes.begin(), bytes.end(), block.begin() + std::ptrdiff_t(params[i].offset));
    }
    return block;
}

} // namespace launch
