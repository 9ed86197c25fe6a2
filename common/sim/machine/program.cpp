#include "sim/machine/program.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>

#include <fmt/format.h>

#include "base/demangle.h"
#include "sim/machine/decoder.h"
#include "sim/machine/executed.h"
#include "sim/ptx/declarations.h"

namespace sim::machine {
namespace {

constexpr uint64_t function_handles = 0x3000'0000'0000; // what "the address of a function" is: not readable memory

uint32_t align_up(uint32_t value, uint32_t align) {
    return (value + align - 1) / std::max(align, 1u) * std::max(align, 1u);
}

void visit_variables(const ptx::Operand& operand, std::set<const ptx::Variable*>& used) {
    if (operand.variable)
        used.insert(operand.variable);
    for (const auto& element : operand.elements)
        visit_variables(element, used);
}

// The first address from `end` on that is a multiple of `align` and, up to 128, of nothing larger: a variable must not
// be better aligned than its declaration promises, or the lack of an alignas shows only when another variable is added.
// Up to 16 bytes it may: many programs access arrays of float as float4, and on a GPU that works.
uint32_t just_aligned(uint32_t end, uint32_t align) {
    constexpr uint32_t vector = 16, most_needed = 128; // by any access; by any copy
    align = std::max(align, vector);
    const uint32_t address = align_up(end, align);
    return align < most_needed && address % (2 * align) == 0 ? address + align : address;
}

// Dynamic shared memory begins where it would behind packed variables, as far as a multiple of 128 bytes shows:
// programs align it by hand and know how much room that takes.
LoadedModule::SharedEnd begin_dynamic(LoadedModule::SharedEnd end, const std::set<const ptx::Variable*>& used) {
    bool is_used = false;
    uint32_t align = 16;
    for (const auto* variable : used)
        if (variable->dynamic) {
            is_used = true;
            align = std::max(align, variable->align);
        }
    const uint32_t packed = align_up(end.packed, align);
    if (!is_used)
        return {packed, align_up(end.placed, align), end.largest};
    return {packed, packed + align_up(end.placed - std::min(packed, end.placed), std::max(align, 128u)), end.largest};
}

} // namespace

LoadedModule::LoadedModule(std::shared_ptr<const ptx::Module> module, memory::GlobalMemory& memory, uint32_t first_pc,
                           const Instruction* (*find_instruction)(std::string_view opcode))
    : ptx_(std::move(module)), memory_(memory), find_instruction_(find_instruction), first_pc_(first_pc),
      end_pc_(first_pc) {
    for (const auto& function : ptx_->functions) {
        first_pcs_[function.get()] = end_pc_;
        end_pc_ += function->most_instructions + 1;
    }
    place_globals();
    place_shared();
}

LoadedModule::~LoadedModule() {
    for (const auto& [variable, address] : addresses_)
        memory_.release(address, "the module's unloading");
}

const ptx::SourceMap& LoadedModule::sources() const {
    if (!sources_)
        sources_ = std::make_unique<ptx::SourceMap>(*ptx_);
    return *sources_;
}

void LoadedModule::place_globals() {
    std::vector<const ptx::Variable*> variables;
    for (const auto& variable : ptx_->variables)
        if (variable->space == ptx::Space::global || variable->space == ptx::Space::constant)
            variables.push_back(variable.get());
    for (const auto* variable : variables) {
        if (variable->bytes == 0)
            continue;
        const auto kind = variable->space == ptx::Space::constant ? memory::AllocationKind::constant
                                                                  : memory::AllocationKind::module_variable;
        auto* allocation = memory_.allocate(variable->bytes, kind, variable->name);
        if (!allocation)
            throw ptx::ParseError(
                0, fmt::format("no device memory left for {} ({} bytes)", variable->name, variable->bytes));
        addresses_[variable] = allocation->address;
        const auto init = std::as_bytes(std::span(variable->init));
        std::copy_n(init.begin(), std::min<size_t>(init.size(), variable->bytes), allocation->data);
    }
    fill_in_addresses();
}

void LoadedModule::fill_in_addresses() {
    for (const auto& [variable, at] : addresses_)
        for (const auto& init : variable->addresses) {
            uint64_t value = 0;
            if (const auto* target = ptx_->variable(init.symbol))
                value = address(*target);
            else if (const auto* function = ptx_->function(init.symbol))
                value = function_address(*function);
            value += uint64_t(init.addend);
            auto* allocation = memory_.find(at);
            if (allocation && init.offset + 8 <= allocation->bytes)
                std::memcpy(allocation->data + init.offset, &value, 8);
        }
}

bool LoadedModule::place_managed(std::string_view name, uint64_t address) {
    const ptx::Variable* variable = ptx_->variable(name);
    const auto known = variable && variable->managed ? addresses_.find(variable) : addresses_.end();
    memory::Allocation* target = memory_.find(address);
    if (known == addresses_.end() || !decoded_.empty() || !target || !target->live || target->address != address ||
        target->bytes < variable->bytes)
        return false;
    const std::byte* const initial = memory_.at(known->second, variable->bytes);
    if (!initial)
        return false;
    std::copy_n(initial, variable->bytes, target->data);
    memory_.release(known->second);
    target->label = variable->name;
    known->second = address;
    fill_in_addresses();
    return true;
}

void LoadedModule::place(const ptx::Variable& variable, SharedEnd& end) const {
    if (variable.space != ptx::Space::shared || variable.dynamic)
        return;
    end.packed = align_up(end.packed, variable.align) + uint32_t(variable.bytes);
    const uint32_t offset = just_aligned(end.placed, variable.align);
    shared_offsets_[&variable] = offset;
    end.placed = offset + uint32_t(variable.bytes);
    if (variable.bytes > end.largest.bytes)
        end.largest = {offset, uint32_t(variable.bytes)};
}

void LoadedModule::place_shared() {
    const auto place_common = [&](const ptx::Variable& variable) {
        place(variable, common_end_);
        if (variable.space == ptx::Space::shared)
            common_shared_.insert(&variable);
    };
    for (const auto& variable : ptx_->variables)
        place_common(*variable);
    for (const auto& function : ptx_->functions)
        if (!function->is_entry && function->is_parsed()) // the others declare none
            for (const auto& variable : function->code().locals)
                place_common(*variable);
}

const LoadedModule::SharedEnd& LoadedModule::shared_of(const ptx::Function& kernel) const {
    const auto known = shared_ends_.find(&kernel);
    if (known != shared_ends_.end())
        return known->second;
    std::set<const ptx::Variable*> used;
    bool calls = false;
    for (const auto& instruction : kernel.body()) {
        calls |= instruction.opcode.starts_with("call");
        for (const auto& operand : instruction.operands)
            visit_variables(operand, used);
    }
    const bool uses_common = calls || std::any_of(used.begin(), used.end(), [&](const ptx::Variable* variable) {
                                 return common_shared_.contains(variable) && !variable->dynamic;
                             });
    SharedEnd end = uses_common ? common_end_ : SharedEnd{};
    for (const auto& variable : kernel.code().locals)
        place(*variable, end);
    if (end.packed != reserved_shared)
        end = begin_dynamic(end, used);
    return shared_ends_[&kernel] = end;
}

uint64_t LoadedModule::address(const ptx::Variable& variable) const {
    auto it = addresses_.find(&variable);
    return it == addresses_.end() ? 0 : it->second;
}

uint32_t LoadedModule::shared_offset(const ptx::Variable& variable) const {
    return shared_offsets_.at(&variable);
}

uint32_t LoadedModule::shared_end(const ptx::Function& kernel) const {
    return kernel.is_entry ? shared_of(kernel).placed : reserved_shared;
}

uint32_t LoadedModule::static_shared(const ptx::Function& kernel) const {
    return kernel.is_entry ? shared_of(kernel).packed - reserved_shared : 0;
}

LoadedModule::SharedArray LoadedModule::largest_shared(const ptx::Function& kernel) const {
    return kernel.is_entry ? shared_of(kernel).largest : SharedArray{};
}

uint64_t LoadedModule::function_address(const ptx::Function& function) const {
    return function_handles + uint64_t{first_pcs_.at(&function)} * 16;
}

const ptx::Function* LoadedModule::function_at(uint64_t address) const {
    for (const auto& [function, pc] : first_pcs_)
        if (function_handles + uint64_t{pc} * 16 == address)
            return is_prepared(*function) ? function : nullptr;
    return nullptr;
}

/// The names of the functions that a body may call; those whose addresses variables hold are among them if it calls
/// any address.
void LoadedModule::visit_called(const ptx::Function& function,
                                const std::function<void(std::string_view)>& visit) const {
    const auto visit_operand = [&](const auto& self, const ptx::Operand& operand) -> void {
        if (operand.kind == ptx::Operand::Kind::function)
            visit(operand.text);
        for (const auto& element : operand.elements)
            self(self, element);
    };
    bool calls_addresses = false;
    for (const auto& instruction : function.body()) {
        for (const auto& operand : instruction.operands)
            visit_operand(visit_operand, operand);
        for (const auto& operand : instruction.call_args)
            visit_operand(visit_operand, operand);
        calls_addresses |=
            instruction.opcode.starts_with("call") && instruction.operands[0].kind == ptx::Operand::Kind::reg;
    }
    for (const auto& variable : ptx_->variables)
        if (calls_addresses)
            for (const auto& address : variable->addresses)
                visit(address.symbol);
}

void LoadedModule::prepare(const ptx::Function& kernel) {
    std::set<const ptx::Function*> found{&kernel};
    std::vector<const ptx::Function*> rest{&kernel};
    while (!rest.empty()) {
        const ptx::Function& function = *rest.back();
        rest.pop_back();
        visit_called(function, [&](std::string_view name) {
            const ptx::Function* const called = ptx_->function(name);
            if (called && !is_prepared(*called) && found.insert(called).second)
                rest.push_back(called);
        });
    }
    prepared_.merge(found);
}

DecodedFunction* LoadedModule::function(std::string_view name) {
    const auto* found = ptx_->function(name);
    return found && !found->is_extern ? &decoded(*found) : nullptr;
}

bool LoadedModule::cancels_clusters() const {
    if (!cancels_clusters_)
        cancels_clusters_ = ptx_->text().find("clusterlaunchcontrol.try_cancel") != std::string_view::npos;
    return *cancels_clusters_;
}

std::vector<DecodedFunction*> LoadedModule::all_decoded() const {
    std::vector<DecodedFunction*> all;
    for (const auto& [function, decoded] : decoded_)
        all.push_back(decoded.get());
    std::ranges::sort(all, {}, &DecodedFunction::first_pc);
    return all;
}

DecodedFunction* LoadedModule::owner(uint32_t pc) {
    for (auto& [function, decoded] : decoded_)
        if (pc >= decoded->first_pc && pc - decoded->first_pc < decoded->ops.size())
            return decoded.get();
    return nullptr;
}

DecodedFunction& LoadedModule::decoded(const ptx::Function& function) {
    const ptx::Code& code = function.code();
    auto& slot = decoded_[&function];
    if (slot)
        return *slot;
    slot = std::make_unique<DecodedFunction>();
    DecodedFunction& result = *slot;
    result.function = &function;
    result.module = this;
    result.first_pc = first_pcs_.at(&function);
    result.constants.resize(64);
    std::memset(result.constants.data(), 0xff, 4); // the guard of unguarded instructions
    auto room = [&](uint32_t bytes) {
        const uint32_t offset = result.frame_bytes;
        result.frame_bytes += (bytes + 63) / 64 * 64;
        return offset;
    };
    for (const auto& reg : code.registers) {
        const uint32_t bytes = reg.type.kind == ptx::Kind::predicate ? 0 : std::max<uint32_t>(reg.type.bits / 8, 2);
        result.register_bytes.push_back(uint8_t(bytes));
        result.registers.push_back(OperandRef::in(OperandRef::frame, room(bytes ? 32 * bytes : 4)));
    }
    auto area = [&](const std::vector<ptx::Parameter>& parameters, uint32_t& offset, uint32_t& bytes) {
        bytes = 0;
        for (const auto& parameter : parameters)
            bytes = std::max(bytes, uint32_t(parameter.offset + parameter.bytes));
        bytes = align_up(bytes, 16);
        offset = room(32 * bytes);
    };
    if (!function.is_entry)
        area(function.params, result.params_offset, result.params_bytes);
    area(function.returns, result.returns_offset, result.returns_bytes);
    area(code.call_params, result.call_offset, result.call_bytes);
    for (const auto& variable : code.locals)
        if (variable->space == ptx::Space::local) {
            result.local_bytes = align_up(result.local_bytes, variable->align);
            result.local_offsets[variable.get()] = result.local_bytes;
            result.local_bytes += uint32_t(variable->bytes);
        }
    result.local_bytes = align_up(result.local_bytes, 16);
    const size_t count = code.body.size();
    result.ops.resize(count + 1);
    result.reads.resize(count + 1);
    result.writes.resize(count + 1);
    result.address_reads.resize(count + 1);
    result.inexact.resize(count + 1);
    for (size_t i = 0; i <= count; ++i)
        decode(*this, result, i);
    mark_masks_of_the_moment(result);
    result.volatile_data = volatile_data(result);
    result.speculated = speculated_loads(result);
    result.used_bytes = used_bytes(result);
    result.blind = blind_atomics(result);
    watch_execution(result);
    return result;
}

void LoadedModule::add_executed(Executed& to) const {
    for (const auto& [function, decoded] : decoded_)
        machine::add_executed(*decoded, to);
    for (const auto& function : ptx_->functions) {
        if (!function->is_entry || function->is_extern)
            continue;
        const auto decoded = decoded_.find(function.get());
        Executed::Kernel kernel{base::function_name(function->name), {}, 0};
        try {
            if (const auto frames = sources().beginning(*function); !frames.chain.empty()) {
                kernel.file = frames.chain.back().place.file;
                kernel.line = frames.chain.back().place.line;
            }
        } catch (const ptx::ParseError&) { // nobody uses it: it has no line
        }
        (decoded != decoded_.end() && has_run(*decoded->second) ? to.kernels : to.unused).push_back(std::move(kernel));
    }
}

} // namespace sim::machine
