// `./lab run` compiles for compute_90a unless told otherwise; a program whose PTX has instructions of a later GPU is
// compiled for that.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace runner {

struct NeededTarget {
    std::string arch;        ///< "compute_100a"
    std::string instruction; ///< the first that needs it: "tcgen05.alloc.cta_group::1.sync.aligned.b32"
};

/// What the PTX in the program needs beyond the target that it is for. Nothing: it has all that it needs, or no target
/// has it.
std::optional<NeededTarget> needed_target(const std::filesystem::path& program);
/// What ptxas misses, if it has refused PTX for compute_90a because of its target. Nothing: there are other reasons.
std::optional<NeededTarget> target_that_ptxas_misses(std::string_view errors);

} // namespace runner
