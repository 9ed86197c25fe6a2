#include "web/launch.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/problem.h"
#include "sim/async/tensor_map.h"
#include "sim/machine/program.h"
#include "web/formula.h"
#include "web/values.h"

namespace web {

using base::Problem;
using nlohmann::json;

namespace {

constexpr uint64_t most_elements = 1 << 24, most_bytes = 256 << 20;

Type type_of(const json& record, const char* otherwise) {
    const std::string name = record.value("type", otherwise);
    const auto type = type_named(name);
    if (!type)
        throw Problem{fmt::format("\"{}\" is no type of elements", name),
                      "there are u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32 and f64"};
    return *type;
}

/// What the formulas of all buffers may name.
Names numbers_of(const json& description) {
    Names names;
    const json numbers = description.value("numbers", json::object());
    for (const auto& [name, value] : numbers.items())
        names.numbers[name] = value.get<double>();
    names.elements = [](std::string_view name) -> std::span<const double> {
        throw Problem{fmt::format("the buffer {} cannot be used in a size", name), "use numbers there"};
    };
    return names;
}

/// A number, or a formula.
double number(const json& value, Names names) {
    return value.is_string() ? Formula(value.get_ref<const std::string&>(), names).value() : value.get<double>();
}

uint64_t size(const json& value, const Names& names) {
    const double exact = number(value, names);
    return exact >= 0 && exact < 0x1p53 ? uint64_t(exact) : 0;
}

/// A number for x, or up to three.
sim::machine::Dim3 sizes_of(const json& description, const char* key, uint32_t otherwise) {
    const json wanted = description.value(key, json(otherwise));
    const Names names = numbers_of(description);
    std::vector<uint32_t> all;
    for (const json& one : wanted.is_array() ? wanted : json::array({wanted}))
        all.push_back(uint32_t(std::min<uint64_t>(size(one, names), UINT32_MAX)));
    if (all.empty() || all.size() > 3 || std::count(all.begin(), all.end(), 0u))
        throw Problem{fmt::format("\"{}\" needs one to three sizes of at least 1", key),
                      fmt::format("write it like \"{}\": [4, 1, 1], or \"{}\": 4", key, key)};
    return {all[0], all.size() > 1 ? all[1] : 1, all.size() > 2 ? all[2] : 1};
}

std::string base_name(const std::string& mangled) {
    size_t at = mangled.starts_with("_Z") ? 2 : std::string::npos, length = 0;
    while (at < mangled.size() && mangled[at] >= '0' && mangled[at] <= '9')
        length = 10 * length + size_t(mangled[at++] - '0');
    return length && at + length <= mangled.size() ? mangled.substr(at, length) : mangled;
}

sim::machine::Kernel find_kernel(sim::Device& device, sim::machine::LoadedModule& module, const std::string& wanted) {
    std::string names;
    std::vector<std::string> found;
    for (const auto& function : module.ptx().functions)
        if (function->is_entry) {
            names += (names.empty() ? "" : ", ") + base_name(function->name);
            if (wanted.empty() || wanted == function->name || wanted == base_name(function->name))
                found.push_back(function->name);
        }
    if (names.empty())
        throw Problem{"the PTX contains no kernel", "compile a file with a __global__ function: nvcc -ptx -lineinfo"};
    if (found.size() != 1)
        throw Problem{fmt::format("the PTX contains {} {}", found.empty() ? "no kernel" : "several kernels", wanted),
                      "set \"kernel\" to one of its kernels: " + names};
    return device.kernel(module, found[0]);
}

void fill(sim::Device& device, Buffer& buffer, const std::string& text, Names& names) {
    std::byte* at = device.peek(buffer.address, buffer.count * bytes_of(buffer.type)).data();
    buffer.before.resize(buffer.count); // the formula may name earlier elements
    double& index = names.numbers["i"];
    const Formula formula(text, names);
    for (uint64_t i = 0; i < buffer.count; ++i) {
        index = double(i);
        store(buffer.type, formula.value(), at + i * bytes_of(buffer.type));
        buffer.before[i] = load(buffer.type, at + i * bytes_of(buffer.type));
    }
}

Names names_of(Names names, const std::vector<Buffer>& buffers, uint64_t count) {
    names.numbers["n"] = double(count);
    names.elements = [&buffers](std::string_view name) {
        for (const Buffer& buffer : buffers)
            if (buffer.name == name && !buffer.before.empty())
                return std::span<const double>(buffer.before);
        throw Problem{fmt::format("there is no {}, or nothing is in it before the launch", name),
                      "use elements of buffers that have a \"fill\""};
    };
    return names;
}

std::vector<Buffer> make_buffers(sim::Device& device, const json& description) {
    std::vector<Buffer> buffers;
    uint64_t bytes = 0;
    for (const json& record : description.value("buffers", json::array())) {
        Buffer buffer;
        buffer.name = record.at("name");
        buffer.type = type_of(record, "f32");
        buffer.count = size(record.at("count"), numbers_of(description));
        buffer.expected = record.value("expect", "");
        if (buffer.count == 0 || buffer.count > most_elements ||
            (bytes += buffer.count * bytes_of(buffer.type)) > most_bytes)
            throw Problem{fmt::format("the buffer {} has {} elements", buffer.name, buffer.count),
                          "take 1 to 16777216 elements, and 256 MiB for all buffers together"};
        buffer.address =
            device.allocate(buffer.count * bytes_of(buffer.type), sim::machine::AllocationKind::device, buffer.name);
        if (!buffer.address)
            throw Problem{"the device's memory is exhausted", "use smaller buffers"};
        buffers.push_back(buffer);
        if (const std::string text = record.value("fill", ""); !text.empty()) {
            Names names = names_of(numbers_of(description), buffers, buffer.count);
            Buffer& made = buffers.back();
            fill(device, made, text, names);
            // The host copied it there, so kernels may read it.
            const auto whole = device.peek(made.address, made.count * bytes_of(made.type));
            const std::vector<std::byte> content(whole.begin(), whole.end());
            device.write(made.address, content, {}, "cudaMemcpy");
        }
    }
    return buffers;
}

const Buffer& buffer_named(const std::vector<Buffer>& buffers, const std::string& name) {
    for (const Buffer& buffer : buffers)
        if (buffer.name == name)
            return buffer;
    throw Problem{fmt::format("there is no buffer \"{}\"", name), "add it to \"buffers\""};
}

uint32_t choice(const json& record, const char* key, std::vector<std::string> choices) {
    const std::string name = record.value(key, choices[0]);
    const auto found = std::find(choices.begin(), choices.end(), name);
    if (found == choices.end())
        throw Problem{fmt::format("\"{}\" is no {} of a tensor map", name, key),
                      fmt::format("there are {}", fmt::join(choices, ", "))};
    return uint32_t(found - choices.begin());
}

/// Sizes, each a number or a formula.
template <class Size>
std::vector<Size> list(const json& values, const Names& names) {
    std::vector<Size> all;
    for (const json& value : values)
        all.push_back(Size(size(value, names)));
    return all;
}

std::array<std::byte, 128> encode_map(const json& record, const std::vector<Buffer>& buffers, const Names& names) {
    const Buffer& buffer = buffer_named(buffers, record.at("buffer"));
    const auto dim = list<uint64_t>(record.at("size"), names);
    const auto box = list<uint32_t>(record.at("box"), names);
    const size_t rank = dim.size();
    if (rank < 1 || rank > 5 || box.size() != rank)
        throw Problem{"a tensor map needs 1 to 5 sizes, and as many for its box", "compare \"size\" and \"box\""};
    std::vector<uint64_t> stride;
    for (uint64_t d = 0, bytes = bytes_of(buffer.type); d + 1 < rank; ++d)
        stride.push_back(bytes *= dim[d]);
    if (record.contains("stride"))
        stride = list<uint64_t>(record["stride"], names);
    auto element_stride = record.value("element_stride", std::vector<uint32_t>(rank, 1));
    if (stride.size() + 1 != rank || element_stride.size() != rank)
        throw Problem{"a tensor map needs a stride for each dimension but the first",
                      "give as many strides as sizes, less one, or leave them out"};
    // CUtensorMapDataType, in the order of Type; it has no s8 and s16.
    constexpr std::array<uint32_t, 12> types{0, 99, 1, 99, 2, 3, 4, 5, 6, 9, 7, 8};
    alignas(64) std::array<std::byte, 128> map{};
    const std::string why = sim::async::encode_tiled(
        {map.data(), types[size_t(buffer.type)], uint32_t(rank), buffer.address, dim.data(), stride.data(), box.data(),
         element_stride.data(), choice(record, "interleave", {"none", "16B", "32B"}),
         choice(record, "swizzle", {"none", "32B", "64B", "128B"}), 0, choice(record, "outside", {"zeros", "nan"})});
    if (!why.empty())
        throw Problem{fmt::format("cuTensorMapEncodeTiled refuses the map of {}: {}", buffer.name, why),
                      "change the map in \"arguments\""};
    return map;
}

/// The bytes of one argument: {"buffer"}, {"value", "type"} or {"map": {…}}.
std::vector<std::byte> argument(const json& record, const std::vector<Buffer>& buffers, const Names& names,
                                uint64_t bytes) {
    std::vector<std::byte> value;
    const auto append = [&](const void* data, size_t size) {
        const auto* first = static_cast<const std::byte*>(data);
        value.assign(first, first + size);
    };
    if (record.contains("buffer")) {
        const uint64_t address = buffer_named(buffers, record["buffer"]).address + record.value("offset", uint64_t{0});
        append(&address, sizeof address);
    } else if (record.contains("map")) {
        const auto map = encode_map(record["map"], buffers, names);
        append(map.data(), map.size());
    } else if (record.contains("value")) {
        const Type type = type_of(record, bytes == 8 ? "s64" : bytes == 4 ? "s32" : bytes == 2 ? "s16" : "s8");
        std::array<std::byte, 8> one{};
        store(type, number(record["value"], names), one.data());
        append(one.data(), bytes_of(type));
    } else
        throw Problem{"an argument is neither a buffer nor a value nor a map",
                      R"(write {"buffer": "in"}, {"value": 4, "type": "s32"} or {"map": {…}})"};
    return value;
}

std::vector<std::byte> make_parameters(const json& description, const sim::machine::Kernel& kernel,
                                       const std::vector<Buffer>& buffers) {
    const auto& params = kernel.function->params;
    const json arguments = description.value("arguments", json::array());
    if (arguments.size() != params.size())
        throw Problem{fmt::format("the kernel {} has {} parameters, and \"arguments\" has {} entries",
                                  base_name(kernel.function->name), params.size(), arguments.size()),
                      "give one argument for each parameter, in their order"};
    const Names names = numbers_of(description);
    std::vector<std::byte> block(kernel.parameter_bytes);
    for (size_t i = 0; i < params.size(); ++i) {
        const auto bytes = argument(arguments[i], buffers, names, params[i].bytes);
        if (bytes.size() != params[i].bytes)
            throw Problem{fmt::format("parameter {} of the kernel has {} bytes, and its argument {}", i + 1,
                                      params[i].bytes, bytes.size()),
                          "set the argument's \"type\" to that of the parameter"};
        std::copy(bytes.begin(), bytes.end(), block.begin() + std::ptrdiff_t(params[i].offset));
    }
    return block;
}

void check_limits(const Launch& launch, const sim::machine::Properties& device) {
    const auto& config = launch.config;
    const uint64_t shared = uint64_t{launch.kernel.static_shared} + config.dynamic_shared;
    if (config.block.count() > launch.kernel.max_threads || config.block.count() > device.max_threads_per_block)
        throw Problem{fmt::format("a block of {} threads is too large", config.block.count()),
                      fmt::format("take at most {}", launch.kernel.max_threads)};
    if (shared > device.shared_per_block_optin)
        throw Problem{fmt::format("a block would use {} bytes of shared memory", shared),
                      fmt::format("an H100 grants {}", device.shared_per_block_optin)};
    if (config.cluster.count() > 16 || config.grid.x % config.cluster.x || config.grid.y % config.cluster.y ||
        config.grid.z % config.cluster.z)
        throw Problem{"the grid is not a multiple of the cluster, or the cluster has more than 16 blocks",
                      "change \"grid\" or \"cluster\""};
}

} // namespace

Launch prepare(sim::Device& device, const json& description) {
    Launch launch;
    launch.numbers = numbers_of(description);
    sim::machine::LoadedModule& module = device.load(description.at("ptx").get_ref<const std::string&>());
    launch.kernel = find_kernel(device, module, description.value("kernel", ""));
    launch.buffers = make_buffers(device, description);
    launch.parameters = make_parameters(description, launch.kernel, launch.buffers);
    launch.config.grid = sizes_of(description, "grid", 1);
    launch.config.block = sizes_of(description, "block", 128);
    const auto& required = launch.kernel.function->required_cluster;
    launch.config.cluster =
        required[0] ? sim::machine::Dim3{required[0], required[1], required[2]} : sizes_of(description, "cluster", 1);
    launch.config.dynamic_shared = uint32_t(number(description.value("shared", json(0)), launch.numbers));
    check_limits(launch, device.properties());
    return launch;
}

json results(sim::Device& device, const Launch& launch) {
    json all = json::array();
    for (const Buffer& buffer : launch.buffers) {
        if (buffer.expected.empty())
            continue;
        Names names = names_of(launch.numbers, launch.buffers, buffer.count);
        double& index = names.numbers["i"];
        const Formula formula(buffer.expected, names);
        const std::byte* at = device.peek(buffer.address, buffer.count * bytes_of(buffer.type)).data();
        json one{{"buffer", buffer.name}, {"wrong", 0}, {"of", buffer.count}};
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < buffer.count; ++i) {
            index = double(i);
            const double expected = rounded(buffer.type, formula.value());
            const double found = load(buffer.type, at + i * bytes_of(buffer.type));
            if (!same(buffer.type, expected, found) && wrong++ == 0)
                one.update(
                    {{"index", i}, {"expected", fmt::format("{:g}", expected)}, {"found", fmt::format("{:g}", found)}});
        }
        one["wrong"] = wrong;
        all.push_back(one);
    }
    return all;
}

} // namespace web
