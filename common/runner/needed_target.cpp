#include "runner/needed_target.h"

#include <algorithm>
#include <span>

#include "base/files.h"
#include "sim/cuda/wire/fat_binary.h"
#include "sim/instructions/list.h"
#include "sim/machine/instruction.h"
#include "sim/machine/target.h"

namespace runner {
namespace {

constexpr std::string_view newer = "sm_100a", newer_arch = "compute_100a";

/// The opcode of a line of PTX: "tcgen05.alloc.cta_group::1.sync.aligned.b32"; empty: it has none.
std::string_view opcode_of(std::string_view line) {
    const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t{"), line.size())); };
    skip();
    if (line.starts_with('@')) {
        line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
        skip();
    }
    return line.substr(0, line.find_first_of(" \t;"));
}

/// The first instruction that `newer` has and the PTX's own target has not.
std::optional<NeededTarget> needed_by(std::string_view ptx) {
    const auto at = ptx.find("\n.target ");
    if (at == ptx.npos)
        return std::nullopt;
    const std::string_view after = ptx.substr(at + 9), target = after.substr(0, after.find_first_of(", \r\n"));
    if (target != "sm_90a")
        return std::nullopt;
    while (!ptx.empty()) {
        const std::string_view line = ptx.substr(0, ptx.find('\n'));
        ptx.remove_prefix(std::min(line.size() + 1, ptx.size()));
        const std::string_view opcode = opcode_of(line);
        if (opcode.find('.') == opcode.npos)
            continue;
        const auto* record = sim::instructions::find_instruction(opcode);
        if (record && !sim::machine::allows(target, record->targets) && sim::machine::allows(newer, record->targets))
            return NeededTarget{std::string(newer_arch), std::string(opcode)};
    }
    return std::nullopt;
}

} // namespace

std::optional<NeededTarget> needed_target(const std::filesystem::path& program) {
    const std::string bytes = base::read_file(program);
    const auto* magic = reinterpret_cast<const char*>(&sim::cuda::fat_container_magic);
    const std::string_view begin(magic, sizeof sim::cuda::fat_container_magic);
    for (size_t at = bytes.find(begin); at != bytes.npos; at = bytes.find(begin, at + 1)) {
        const auto rest = std::as_bytes(std::span(bytes).subspan(at));
        try {
            if (rest.size() < 16)
                break;
            const uint64_t size = sim::cuda::fat_container_bytes(rest.first(16));
            if (size > rest.size())
                continue;
            for (const auto& image : sim::cuda::fat_images(rest.first(size)))
                if (image.kind == sim::cuda::FatImage::Kind::ptx)
                    if (auto needed = needed_by(sim::cuda::ptx_text(image)))
                        return needed;
        } catch (const sim::cuda::FatBinaryError&) {
            // These bytes only look like a container; a damaged one is reported when the program runs.
        }
    }
    return std::nullopt;
}

} // namespace runner
