#include "sim/machine/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/demangle.h"
#include "base/text.h"
#include "sim/machine/grid.h"
#include "sim/machine/program.h"
#include "sim/ptx/declarations.h"

namespace sim::machine {
namespace {

constexpr uint32_t most_indexed = 256; // bytes of an array of mbarriers; a larger variable is rather a struct

std::string with_part(const std::string& name, const std::optional<std::string>& part, uint64_t offset) {
    return part ? name + *part : fmt::format("byte {} of {}", offset, name);
}

/// "reverse" and {"int const*", "int*"} for _Z7reversePKiPi; no types: it has none in its name.
struct Signature {
    std::string name;
    std::vector<std::string> types;
};

Signature signature(const std::string& symbol) {
    const std::string whole = base::demangled(symbol);
    size_t open = whole.size();
    if (whole.ends_with(')'))
        for (int depth = 0; open-- > 0;) {
            depth += whole[open] == ')';
            depth -= whole[open] == '(';
            if (depth == 0)
                break;
        }
    Signature result;
    std::string head = whole.substr(0, open);
    if (head.ends_with('>')) // the template's arguments
        for (int depth = 0; !head.empty();) {
            depth += head.back() == '>';
            depth -= head.back() == '<';
            head.pop_back();
            if (depth == 0)
                break;
        }
    const auto begin = head.find_last_of(": ");
    result.name = begin == head.npos ? head : head.substr(begin + 1);
    int depth = 0;
    std::string type;
    for (size_t i = open + 1; i < whole.size(); ++i) {
        const char c = whole[i];
        if (depth == 0 && (c == ',' || i + 1 == whole.size())) {
            result.types.emplace_back(base::trimmed(type));
            type.clear();
            continue;
        }
        depth += c == '(' || c == '<';
        depth -= c == ')' || c == '>';
        type += c;
    }
    return result;
}

/// Size of the type that a pointer of this type points to; 0: not known.
uint64_t pointed_to(std::string type) {
    for (const std::string_view end : {" const", " volatile", "*"})
        if (std::string_view(type).ends_with(end))
            type.resize(type.size() - end.size());
    for (const std::string_view end : {" const", " volatile"})
        if (std::string_view(type).ends_with(end))
            type.resize(type.size() - end.size());
    return type.ends_with('*') ? 8 : ptx::bytes_of_type(type);
}

/// The only parameter of the kernel that points into the allocation, or the last one before `address`.
struct PointerParameter {
    size_t index = SIZE_MAX;
    uint64_t value = 0;
};
PointerParameter pointer_to(const Grid& grid, const memory::Allocation& allocation, uint64_t address) {
    PointerParameter found;
    const auto& parameters = grid.entry->function->params;
    for (size_t i = 0; i < parameters.size(); ++i) {
        uint64_t value = 0;
        if (parameters[i].bytes != 8 || parameters[i].offset + 8 > grid.parameters.size())
            continue;
        std::memcpy(&value, grid.parameters.data() + parameters[i].offset, 8);
        if (value < allocation.address || value - allocation.address >= allocation.bytes)
            continue;
        if (found.index != SIZE_MAX && value == found.value)
            return {}; // two names for one place
        if (found.index == SIZE_MAX || (value <= address && value > found.value))
            found = {i, value};
    }
    return found;
}

} // namespace

std::string variable_name(const std::string& symbol) {
    const std::string name = base::demangled(symbol);
    const auto colon = name.rfind("::");
    return colon == name.npos ? name : name.substr(colon + 2);
}

const ptx::Declarations& LoadedModule::declarations() const {
    if (!declarations_)
        declarations_ = std::make_unique<ptx::Declarations>(ptx_->files);
    return *declarations_;
}

size_t LoadedModule::file_of(const ptx::Function& kernel) const {
    const ptx::Code& code = kernel.code();
    for (const auto& instruction : code.body) // the first line of its own
        if (const auto& place = code.locations[instruction.location]; place.line && place.inlined_at < 0)
            return place.file;
    return code.locations[code.location].file;
}

const ptx::Variable* LoadedModule::shared_variable(const ptx::Function& kernel, uint32_t offset) const {
    const ptx::Variable *found = nullptr, *dynamic = nullptr;
    const auto look = [&](const auto& variables) {
        for (const auto& variable : variables) {
            if (variable->dynamic)
                dynamic = dynamic && dynamic != variable.get() ? nullptr : variable.get();
            if (const auto at = shared_offsets_.find(variable.get());
                !found && at != shared_offsets_.end() && at->second <= offset && offset < at->second + variable->bytes)
                found = variable.get();
        }
    };
    look(kernel.code().locals);
    look(ptx_->variables);
    return found || offset < shared_end(kernel) ? found : dynamic;
}

std::string LoadedModule::shared_name(const ptx::Function& kernel, uint32_t offset) const {
    const ptx::Variable* variable = shared_variable(kernel, offset);
    if (!variable)
        return {};
    const std::string name = variable_name(variable->name);
    const uint32_t into = offset - (variable->dynamic ? shared_end(kernel) : shared_offsets_.at(variable));
    return with_part(name, declarations().part(name, variable->bytes, into, file_of(kernel)), into);
}

std::string LoadedModule::barrier_name(const ptx::Function& kernel, uint32_t offset) const {
    const std::string address = fmt::format("at shared address {}", offset - reserved_shared);
    const ptx::Variable* found = shared_variable(kernel, offset);
    if (!found || found->dynamic)
        return address;
    const uint32_t into = offset - shared_offsets_.at(found);
    const std::string name = variable_name(found->name);
    if (found->bytes == 8)
        return name;
    if (found->bytes <= most_indexed && into % 8 == 0 && found->bytes % 8 == 0)
        return name +
               declarations().part(name, found->bytes, into, file_of(kernel)).value_or(fmt::format("[{}]", into / 8));
    const auto part = declarations().part(name, found->bytes, into, file_of(kernel));
    return part ? name + *part : address;
}

std::string shared_name(const Block& block, uint32_t offset) {
    const DecodedFunction& kernel = *block.grid.entry;
    return kernel.module->shared_name(*kernel.function, offset);
}

std::string global_name(const Grid& grid, const memory::Allocation& allocation, uint64_t address) {
    const ptx::Declarations& declarations = grid.entry->module->declarations();
    if (!allocation.label.empty()) {
        if (address < allocation.address)
            return {};
        const std::string name = variable_name(allocation.label);
        const uint64_t offset = address - allocation.address;
        return with_part(
            name, declarations.part(name, allocation.bytes, offset, grid.entry->module->file_of(*grid.entry->function)),
            offset);
    }
    const auto [index, value] = pointer_to(grid, allocation, address);
    if (index == SIZE_MAX || address < value)
        return {};
    const Signature kernel = signature(grid.entry->function->name);
    const auto names = declarations.parameters(kernel.name, grid.entry->function->params.size(),
                                               grid.entry->module->file_of(*grid.entry->function));
    const std::string name = names.empty() ? fmt::format("the buffer of parameter {}", index + 1) : names[index];
    const uint64_t bytes = index < kernel.types.size() ? pointed_to(kernel.types[index]) : 0;
    return names.empty() || !bytes ? fmt::format("byte {} of {}", address - value, name)
                                   : fmt::format("{}[{}]", name, (address - value) / bytes);
}

std::string global_name(const Grid& grid, uint64_t address) {
    const memory::Allocation* allocation = grid.memory.find(address);
    return allocation && allocation->holds(address, 1) ? global_name(grid, *allocation, address) : std::string();
}

const char* host_memory(uint64_t address) {
    constexpr uint64_t program = 0x5500'0000'0000, mappings = 0x7000'0000'0000, stack = 0x7ff0'0000'0000;
    constexpr uint64_t end = uint64_t{1} << 47;
    if (address >= end || address < program || (address >= program + (uint64_t{2} << 40) && address < mappings))
        return nullptr;
    return address >= stack      ? "on the host's stack"
           : address >= mappings ? "in memory that the host has mapped (a large block of its heap, a library, a stack)"
                                 : "in the host's heap or one of its variables";
}

const memory::Allocation* nearest(const Grid& grid, uint64_t address, uint64_t& least) {
    constexpr uint64_t far_off = 1 << 20;
    const memory::Allocation* best = nullptr;
    least = far_off;
    for (const auto& [start, allocation] : grid.memory) {
        const uint64_t end = start + allocation.bytes;
        const uint64_t distance = address < start ? start - address : address > end ? address - end : 0;
        if (allocation.live && distance < least) {
            best = &allocation;
            least = distance;
        }
    }
    return best;
}

} // namespace sim::machine
