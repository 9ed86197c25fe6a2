#include "launch/launch.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "launch/arguments.h"
#include "sim/machine/program.h"

namespace launch {

using base::Problem;
using nlohmann::json;

namespace {

/// The names that the formulas of all buffers may use.
Names numbers_of(const Part& description) {
    Names names;
    names.elements = [](std::string_view name) -> std::span<const double> {
        throw Problem{fmt::format("the buffer {} cannot be used in a size", name), "use numbers there"};
    };
    if (const auto numbers = description.find("numbers")) {
        if (!numbers->is_table())
            numbers->fail("a table is expected here", "write numbers = {tiles = 8}");
        for (const auto& [name, value] : numbers->value().items())
            names.numbers[name] = numbers->find(name)->number(names);
    }
    return names;
}

/// A launch's own part, or the one that all launches share.
std::optional<Part> find(const Part& launch, const Part& all, std::string_view key) {
    const auto own = launch.find(key);
    return own ? own : all.find(key);
}

constexpr sim::machine::Dim3 largest_grid{INT32_MAX, 65535, 65535}, largest_block{65535, 65535, 65535};

/// A number for x, or up to three.
sim::machine::Dim3 sizes_of(const std::optional<Part>& part, const Names& names, uint32_t otherwise,
                            const sim::machine::Dim3& most = largest_block) {
    if (!part)
        return {otherwise, 1, 1};
    const auto items = part->items();
    if (items.empty() || items.size() > 3)
        part->fail(fmt::format("\"{}\" needs one to three sizes of at least 1", part->place()),
                   "write it like [4, 1, 1], or 4");
    const uint32_t limits[3] = {most.x, most.y, most.z};
    uint32_t all[3] = {1, 1, 1};
    for (size_t i = 0; i < items.size(); ++i)
        all[i] = uint32_t(items[i].size(names, 1, limits[i]));
    return {all[0], all[1], all[2]};
}

sim::machine::Kernel find_kernel(sim::Device& device, sim::machine::LoadedModule& module, const Part& launch,
                                 const Part& all) {
    const auto part = find(launch, all, "kernel");
    const std::string wanted = part ? part->text("kernel = \"name\"") : "";
    std::string names;
    std::vector<std::string> found;
    for (const auto& function : module.ptx().functions)
        if (function->is_entry) {
            names += (names.empty() ? "" : ", ") + base_name(function->name);
            if (wanted.empty() || wanted == function->name || wanted == base_name(function->name))
                found.push_back(function->name);
        }
    if (names.empty())
        all.fail("the PTX contains no kernel", "compile a file with a __global__ function: nvcc -ptx -lineinfo");
    if (found.size() != 1)
        (part ? *part : launch)
            .fail(fmt::format("the PTX contains {} {}", found.empty() ? "no kernel" : "several kernels", wanted),
                  "set \"kernel\" to one of its kernels: " + names);
    return device.kernel(module, found[0]);
}

void check_limits(const Launch& launch, const Part& part, const sim::machine::Properties& device) {
    const auto& config = launch.config;
    const uint64_t shared = uint64_t{launch.kernel.static_shared} + config.dynamic_shared;
    if (config.block.count() > launch.kernel.max_threads || config.block.count() > device.max_threads_per_block)
        part.fail(fmt::format("a block of {} threads is too large", config.block.count()),
                  fmt::format("take at most {}", launch.kernel.max_threads));
    if (shared > device.shared_per_block_optin)
        part.fail(fmt::format("a block would use {} bytes of shared memory", shared),
                  fmt::format("this device grants {}", device.shared_per_block_optin));
    if (config.cluster.count() > 16 || config.grid.x % config.cluster.x || config.grid.y % config.cluster.y ||
        config.grid.z % config.cluster.z)
        part.fail("the grid is not a multiple of the cluster, or the cluster has more than 16 blocks",
                  "change \"grid\" or \"cluster\"");
}

Launch make_launch(sim::Device& device, sim::machine::LoadedModule& module, const Part& part, const Part& all,
                   const Launches& known) {
    Launch launch;
    launch.kernel = find_kernel(device, module, part, all);
    launch.parameters =
        make_parameters(part.find("arguments") ? part : all, launch.kernel, known.numbers, known.buffers);
    const Names& names = known.numbers;
    auto& config = launch.config;
    config.grid = sizes_of(find(part, all, "grid"), names, 1, largest_grid);
    const auto& threads = launch.kernel.function->required_threads;
    const auto block = find(part, all, "block");
    config.block = !block && threads[0]
                       ? sim::machine::Dim3{threads[0], std::max(threads[1], 1u), std::max(threads[2], 1u)}
                       : sizes_of(block, names, 128);
    const auto& required = launch.kernel.function->required_cluster;
    config.cluster = required[0] ? sim::machine::Dim3{required[0], required[1], required[2]}
                                 : sizes_of(find(part, all, "cluster"), names, 1);
    if (const auto shared = find(part, all, "shared"))
        config.dynamic_shared = uint32_t(shared->size(names, 0, UINT32_MAX));
    if (const auto cooperative = find(part, all, "cooperative"))
        config.cooperative = cooperative->number(names) != 0;
    check_limits(launch, part, device.properties());
    return launch;
}

} // namespace

Launches prepare(sim::Device& device, std::string_view ptx, const json& description, const ReadFile& read_file) {
    const Part all(description, "");
    Launches made;
    made.numbers = numbers_of(all);
    sim::machine::LoadedModule& module = device.load(ptx);
    made.buffers = make_buffers(device, all, made.numbers, read_file);
    const auto launches = all.find("launches");
    for (const Part& part : launches ? launches->items() : std::vector<Part>{all}) {
        if (launches)
            part.only({"kernel", "grid", "block", "cluster", "shared", "cooperative", "arguments"});
        made.launches.push_back(make_launch(device, module, part, all, made));
    }
    return made;
}

sim::machine::Outcome run(sim::Device& device, const Launches& launches) {
    for (const Launch& launch : launches.launches)
        if (const auto outcome = device.launch(launch.kernel, launch.config, launch.parameters, {}); !outcome)
            return outcome;
    return {};
}

std::vector<Compared> compare(sim::Device& device, const Launches& launches) {
    std::vector<Compared> all;
    for (const Buffer& buffer : launches.buffers) {
        if (!buffer.expected)
            continue;
        Names names = names_for(launches.numbers, launches.buffers, buffer.count);
        Values expectation(*buffer.expected, names);
        const std::byte* at = device.peek(buffer.address, buffer.count * bytes_of(buffer.type)).data();
        Compared one{buffer.name, 0, buffer.count, 0, {}, {}};
        for (uint64_t i = 0; i < buffer.count; ++i) {
            const double expected = rounded(buffer.type, expectation[i]);
            const double found = load(buffer.type, at + i * bytes_of(buffer.type));
            if (same(buffer.type, expected, found, buffer.tolerance) || one.wrong++)
                continue;
            one.index = i;
            one.expected = fmt::format("{:g}", expected);
            one.found = fmt::format("{:g}", found);
        }
        all.push_back(one);
    }
    return all;
}

std::string first_elements(sim::Device& device, const Buffer& buffer) {
    const std::byte* at = device.peek(buffer.address, buffer.count * bytes_of(buffer.type)).data();
    std::string text;
    for (uint64_t i = 0; i < buffer.print; ++i)
        text += fmt::format("{}{:g}", i ? " " : "", load(buffer.type, at + i * bytes_of(buffer.type)));
    return text;
}

} // namespace launch
