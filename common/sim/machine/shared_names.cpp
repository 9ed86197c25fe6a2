// What the program's source calls a place in shared memory.
#include <fmt/format.h>

#include "base/demangle.h"
#include "sim/machine/program.h"

namespace sim::machine {
namespace {

constexpr uint32_t most_indexed = 256; // bytes of an array of mbarriers; what is larger is rather a struct

/// "full" for _ZZ6squarePKiPiE4full.
std::string last_name(const std::string& symbol) {
    const std::string name = base::demangled(symbol);
    const auto colon = name.rfind("::");
    return colon == name.npos ? name : name.substr(colon + 2);
}

} // namespace

std::string LoadedModule::barrier_name(const ptx::Function& kernel, uint32_t offset) const {
    const std::string address = fmt::format("at shared address {}", offset - reserved_shared);
    const ptx::Variable* found = nullptr;
    const auto look = [&](const auto& variables) {
        for (const auto& variable : variables)
            if (const auto at = shared_offsets_.find(variable.get());
                !found && at != shared_offsets_.end() && at->second <= offset && offset < at->second + variable->bytes)
                found = variable.get();
    };
    look(kernel.locals);
    look(ptx_->variables);
    if (!found || found->bytes > most_indexed)
        return address;
    const uint32_t into = offset - shared_offsets_.at(found);
    const std::string name = last_name(found->name);
    if (found->bytes == 8)
        return name;
    return into % 8 == 0 && found->bytes % 8 == 0 ? fmt::format("{}[{}]", name, into / 8) : address;
}

} // namespace sim::machine
