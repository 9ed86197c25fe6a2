// Targets of PTX, and what instructions need of them (PTX ISA, ".target"): "sm_90" names that architecture and all
// later ones, "sm_100f" the family- and architecture-specific targets of the same family from there on ("sm_100f",
// "sm_103a"), "sm_90a" itself alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sim::machine {

/// May PTX for `target` ("sm_100a") use what needs one of `needs` ("sm_100f sm_110f")? Empty needs: any target may.
bool allows(std::string_view target, std::string_view needs);

/// "tcgen05.alloc needs the target sm_100f or sm_110f; this PTX is for sm_90a: compile with --arch compute_100a".
std::string target_missing(std::string_view what, std::string_view needs, std::string_view target);

class LoadedModule;

/// The opcode of the first instruction that `target` has, in this form, and the target of the PTX has not; empty: there
/// is none.
std::string needing_target(LoadedModule& module, std::string_view target);

} // namespace sim::machine
