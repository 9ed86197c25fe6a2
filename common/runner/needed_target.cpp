#include "runner/needed_target.h"

#include <span>

#include "base/files.h"
#include "sim/cuda/wire/fat_binary.h"
#include "sim/instructions/list.h"
#include "sim/machine/program.h"
#include "sim/machine/target.h"
#include "sim/memory/global_memory.h"
#include "sim/ptx/module.h"

namespace runner {
namespace {

constexpr std::string_view newer = "sm_100a", newer_arch = "compute_100a";

/// Where a target lacks an instruction, libcu++ calls an undefined function:
/// __cuda_ptx_tcgen05_alloc_is_not_supported_before_SM_100a_SM_101a__.
std::string_view refused_by_libcu(std::string_view text) {
    const size_t end = text.find("_is_not_supported_before_SM_100"), begin = text.rfind("__cuda_ptx_", end);
    return end == text.npos || begin == text.npos ? "" : text.substr(begin + 11, end - begin - 11);
}

/// The first instruction that `newer` has and the PTX's own target has not.
std::optional<NeededTarget> needed_by(std::string_view text) {
    constexpr uint64_t enough = uint64_t{1} << 32; // bytes, for the PTX's variables
    try {
        auto ptx = sim::ptx::parse_declarations(text);
        if (ptx->target != "sm_90a")
            return std::nullopt;
        if (const std::string_view function = refused_by_libcu(text); !function.empty())
            return NeededTarget{std::string(newer_arch), "cuda::ptx::" + std::string(function)};
        sim::memory::GlobalMemory memory(enough);
        sim::machine::LoadedModule module(std::move(ptx), memory, 0, sim::instructions::find_instruction);
        const std::string opcode = sim::machine::needing_target(module, newer);
        if (!opcode.empty())
            return NeededTarget{std::string(newer_arch), opcode};
    } catch (const sim::ptx::ParseError&) {
        // Reported when the program runs.
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

std::optional<NeededTarget> target_that_ptxas_misses(std::string_view errors) {
    // "Instruction 'tcgen05.alloc' not supported on .target 'sm_90a'", "Feature '.x' requires .target sm_100 or higher"
    for (const std::string_view words : {" not supported on .target 'sm_90a'", " requires .target sm_100"}) {
        const size_t end = errors.find(words);
        const size_t quote = end == errors.npos ? end : errors.rfind('\'', end - 2);
        if (quote != errors.npos)
            return NeededTarget{std::string(newer_arch), std::string(errors.substr(quote + 1, end - quote - 2))};
    }
    return std::nullopt;
}

} // namespace runner
