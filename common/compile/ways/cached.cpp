#include "compile/ways/cached.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/files.h"
#include "base/hash.h"
#include "compile/comments.h"
#include "compile/dependencies/flags.h"
#include "compile/host_side.h"
#include "compile/ways/search_path.h"

namespace compile {

using base::read_file;

namespace {

std::string stamp(const fs::path& file) {
    std::error_code problem;
    return fmt::format("{} {} {}", file.string(), fs::file_size(file, problem),
                       fs::last_write_time(file, problem).time_since_epoch().count());
}

Program program_in(const fs::path& folder, const Order& order, const Dependencies& dependencies) {
    Program program{.file = folder / "program", .own_files = dependencies.own_files(order.source.parent_path())};
    if (!order.lab)
        return program;
    program.interface = read_file(folder / "interface");
    const std::string origin = read_file(folder / "origin");
    const size_t end = std::min(origin.find('\n'), origin.size());
    program.origin = {origin.substr(0, end), origin.substr(std::min(end + 1, origin.size()))};
    return program;
}

} // namespace

Answer Cached::make(const Order& order) const {
    Made made;
    for (const auto& arch : order.missing)
        if (const auto entry = cache_.find(ptx_key(order, arch), order.source.parent_path()))
            made.ptx[arch] = entry->path / "kernel.ptx";
    for (const auto& key : order.program ? program_keys(order) : std::vector<std::string>{})
        if (const auto entry = cache_.find(key, order.source.parent_path()); entry && !made.program)
            made.program = program_in(entry->path, order, entry->dependencies);
    if (made.ptx.empty() && !made.program)
        return {.why_not = "nothing of it is in the cache"};
    return {made};
}

fs::path Cached::keep_ptx(const Order& order, const std::string& arch, const fs::path& folder,
                          const std::optional<Dependencies>& dependencies) const {
    return cache_.keep(folder, ptx_key(order, arch), dependencies) / "kernel.ptx";
}

Program Cached::keep_program(const Order& order, const fs::path& folder, const std::string& interface,
                             const std::optional<Dependencies>& dependencies) const {
    if (order.lab) {
        base::write_file(folder / "interface", interface);
        base::write_file(folder / "origin", order.source.string() + "\n" + read_file(order.source));
    }
    const auto keys = program_keys(order);
    const bool alone = dependencies && dependencies->own.empty();
    const fs::path kept = cache_.keep(folder, alone ? keys.front() : keys.back(), dependencies);
    return program_in(kept, order, dependencies.value_or(Dependencies{}));
}

std::vector<fs::path> Cached::search_path(const std::vector<std::string>& nvcc, const fs::path& source) const {
    const std::string known = key("search", fs::current_path().string(), {stamp(tools_.toolchain().nvcc)});
    return compile::search_path(nvcc, known, source, cache_.folder());
}

std::string Cached::key(std::string_view kind, std::string_view text, const std::vector<std::string>& flags) const {
    const Toolchain& chain = tools_.toolchain();
    base::Hash hash;
    hash.add("5").add(kind).add(chain.nvcc).add(chain.version).add(text);
    for (const auto& flag : chain.flags)
        hash.add(flag);
    const char* libraries = std::getenv("LIBRARY_PATH"); // the linker's
    hash.add(environment_of_compilers()).add(libraries ? libraries : "");
    for (const auto& flag : flags)
        hash.add(flag);
    return fmt::format("{}-{}", kind, hash.text());
}

std::string Cached::ptx_key(const Order& order, const std::string& arch) const {
    return key("ptx", blank_comments(read_file(order.source)), {order.source.string(), arch});
}

// A lab's program depends on the host's side of its source alone, unless the source includes files of the user's own.
// Which it does, only the compiler knows: it has one key for each case.
std::vector<std::string> Cached::program_keys(const Order& order) const {
    const std::string text = read_file(order.source), stub = order.stub ? stamp(tools_.paths().stub()) : "";
    if (order.lab)
        return {key("program", host_text(text), {order.archs.front(), stub}),
                key("program", text, {order.archs.front(), stub, "whole"})};
    std::vector<std::string> parts = order.flags;
    parts.insert(parts.end(), {order.archs.front(), order.code, stub, fs::current_path().string(),
                               order.source.string(), contents_named(order.flags)});
    const bool shows_source = std::ranges::any_of(order.flags, [](const std::string& flag) {
        return flag.find("src-in-ptx") != flag.npos || flag.find("source-in-ptx") != flag.npos;
    });
    return {key("run", shows_source ? text : blank_comments(text), parts)};
}

} // namespace compile
