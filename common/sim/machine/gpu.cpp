#include "sim/machine/gpu.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/events/listener.h"
#include "sim/machine/launches.h"
#include "sim/machine/machine_part.h"
#include "sim/memory/global_memory.h"

namespace sim::machine {

struct Gpu::State {
    State(Options opts, const Parts& from)
        : options(std::move(opts)), parts(from), memory(options.properties.total_memory) {}

    Options options;
    Parts parts;
    memory::GlobalMemory memory;
    std::deque<std::unique_ptr<LoadedModule>> modules;
    uint32_t next_pc = 1;
    OperationId next_operation = 1;
    uint64_t launches = 0;
    Statistics statistics;
    events::Listener* listener = nullptr;
    std::map<uint64_t, uint64_t> unmapped_loads; ///< as loads(): of host memory that is no longer mapped
    Executed unloaded;                           ///< instructions executed in unloaded modules
    Launches running{options};
    MachinePart part{options, memory, modules};
    std::optional<Division> division;

    OperationId host_operation() {
        running.disturb();
        return next_operation++;
    }
    /// The receiver of current events; nullptr: there is none.
    events::Listener* listening() const { return options.detect ? listener : nullptr; }

    Outcome illegal(uint64_t address, uint64_t bytes, std::string_view what) const {
        return {Fault::illegal_address,
                fmt::format("{} of {} bytes at {:#x}: not inside one live allocation", what, bytes, address)};
    }
    memory::Allocation* live(uint64_t address, uint64_t bytes) const {
        auto* found = memory.find(address);
        return found && found->live && found->holds(address, bytes) ? found : nullptr;
    }
};

Gpu::Gpu(Options options, const Parts& parts) : state_(std::make_unique<State>(std::move(options), parts)) {}
Gpu::~Gpu() = default;

void Gpu::listen(events::Listener& listener) {
    state_->listener = &listener;
}
void Gpu::divide(std::vector<events::Divisible*> keepers) {
    State& s = *state_;
    if (!keepers.empty())
        keepers.push_back(&s.part);
    s.running.divide(keepers.empty() ? nullptr : &s.division.emplace(s.options, std::move(keepers)));
}
memory::GlobalMemory& Gpu::memory() {
    return state_->memory;
}
memory::Allocation* Gpu::live(uint64_t address, uint64_t bytes) const {
    return state_->live(address, bytes);
}
DecodedFunction* Gpu::function_at(uint32_t pc) const {
    for (auto& module : state_->modules)
        if (pc >= module->first_pc() && pc < module->end_pc())
            return module->owner(pc);
    return nullptr;
}

const Properties& Gpu::properties() const {
    return state_->options.properties;
}
Options& Gpu::options() {
    return state_->options;
}

uint64_t Gpu::allocate(uint64_t bytes, AllocationKind kind, std::string label) {
    auto* allocation = state_->memory.allocate(bytes, kind, std::move(label));
    return allocation ? allocation->address : 0;
}
bool Gpu::release(uint64_t address, std::string_view by, CallSite at) {
    if (auto* memory = at ? state_->live(address, 1) : nullptr)
        memory->freed_at = at;
    return state_->memory.release(address, by);
}
void Gpu::allocated_at(uint64_t address, CallSite site) {
    if (auto* memory = state_->live(address, 1))
        memory->allocated_at = site;
}
void Gpu::map_host(uint64_t address, std::byte* data, uint64_t bytes, AllocationKind kind) {
    state_->memory.map_host(address, data, bytes, kind);
}
void Gpu::unmap_host(uint64_t address, CallSite freed_at) {
    if (auto* memory = state_->live(address, 1)) {
        memory->freed_at = freed_at;
        if (memory->loaded_bytes)
            state_->unmapped_loads[address] += std::exchange(memory->loaded_bytes, 0);
    }
    state_->memory.unmap_host(address, freed_at != 0);
}

Gpu::Range Gpu::range(uint64_t address) const {
    const auto* found = state_->live(address, 1);
    return found ? Range{found->address, found->bytes, found->kind} : Range{};
}
std::map<uint64_t, uint64_t> Gpu::loads() const {
    std::map<uint64_t, uint64_t> loads = state_->unmapped_loads;
    for (const auto& [address, allocation] : state_->memory)
        if (allocation.loaded_bytes)
            loads[address] += std::min<uint64_t>(allocation.loaded_bytes, allocation.bytes);
    return loads;
}

void Gpu::forget_loads() {
    state_->memory.forget_loads();
    state_->unmapped_loads.clear();
}

uint64_t Gpu::free_bytes() const {
    return state_->memory.free_bytes();
}
OperationId Gpu::next_operation() const {
    return state_->next_operation;
}

Outcome Gpu::write(uint64_t destination, std::span<const std::byte> source, const Order& order, std::string_view what) {
    auto* target = state_->live(destination, source.size());
    if (!target)
        return state_->illegal(destination, source.size(), what);
    const OperationId id = state_->host_operation();
    if (auto* listener = state_->listening())
        listener->host_write(*target, destination, source.size(), order, id, what);
    std::memcpy(target->data + (destination - target->address), source.data(), source.size());
    return {};
}

Outcome Gpu::read(std::span<std::byte> destination, uint64_t source, const Order& order, std::string_view what) {
    auto* from = state_->live(source, destination.size());
    if (!from)
        return state_->illegal(source, destination.size(), what);
    const OperationId id = state_->host_operation();
    if (auto* listener = state_->listening())
        listener->host_read(*from, source, destination.size(), order, id, what);
    std::memcpy(destination.data(), from->data + (source - from->address), destination.size());
    return {};
}

Outcome Gpu::copy(uint64_t destination, uint64_t source, uint64_t bytes, const Order& order, std::string_view what) {
    auto *from = state_->live(source, bytes), *to = state_->live(destination, bytes);
    if (!from || !to)
        return state_->illegal(from ? destination : source, bytes, what);
    const OperationId id = state_->host_operation();
    if (auto* listener = state_->listening()) {
        listener->host_read(*from, source, bytes, order, id, what);
        listener->host_write(*to, destination, bytes, order, id, what);
    }
    std::memmove(to->data + (destination - to->address), from->data + (source - from->address), bytes);
    return {};
}

Outcome Gpu::fill(uint64_t destination, uint32_t value, uint32_t width, uint64_t count, const Order& order,
                  std::string_view what) {
    const uint64_t bytes = count * width;
    auto* target = state_->live(destination, bytes);
    if (!target)
        return state_->illegal(destination, bytes, what);
    const OperationId id = state_->host_operation();
    if (auto* listener = state_->listening())
        listener->host_write(*target, destination, bytes, order, id, what);
    std::byte* data = target->data + (destination - target->address);
    if (width == 1) {
        std::memset(data, int(value), count);
    } else {
        for (uint64_t i = 0; i < count; ++i)
            std::memcpy(data + i * width, &value, width);
    }
    return {};
}

void Gpu::touch(std::span<const uint64_t> addresses, bool write, const Order& order) {
    const OperationId id = state_->host_operation();
    auto* listener = state_->listening();
    for (const uint64_t address : addresses)
        if (auto* memory = listener ? state_->live(address, 1) : nullptr) {
            if (write)
                listener->host_write(*memory, address, 1, order, id, "the host");
            else
                listener->host_read(*memory, address, 1, order, id, "the host");
        }
}

void Gpu::in_stream_order(uint64_t address, CallSite site) {
    if (auto* memory = state_->live(address, 1)) {
        memory::Lifetime& lifetime = memory->lifetime.emplace(memory->lifetime.value_or(memory::Lifetime{}));
        if (site)
            lifetime.allocated_by = memory::Lifetime::pending, lifetime.allocated_at = memory->allocated_at = site;
    }
}

bool Gpu::is_in_stream_order(uint64_t address) const {
    const auto* memory = state_->live(address, 1);
    return memory && memory->lifetime;
}

void Gpu::allocated(uint64_t address, const Order& order) {
    const OperationId id = state_->host_operation();
    auto* memory = state_->live(address, 1);
    if (!memory || !memory->lifetime)
        return;
    if (auto* listener = state_->listening())
        listener->host_allocated(*memory, order, id);
    if (memory->lifetime->allocated_by != memory::Lifetime::pending)
        memory->lifetime->freed_by = 0; // what an earlier launch of a graph has allocated and freed
    memory->lifetime->allocated_by = id;
}

void Gpu::free(uint64_t address, const Order& order, std::string_view what) {
    const OperationId id = state_->host_operation();
    auto* memory = state_->live(address, 1);
    if (!memory || !memory->lifetime)
        return;
    if (auto* listener = state_->listening())
        listener->host_free(*memory, order, id, what);
    memory->lifetime->freed_by = id;
    memory->lifetime->freed_at = memory->freed_at = order.site;
    memory->freed_by = what;
}

bool Gpu::is_freed(uint64_t address) const {
    const auto* memory = state_->live(address, 1);
    return memory && memory->lifetime && memory->lifetime->freed_by;
}

std::span<std::byte> Gpu::peek(uint64_t address, uint64_t bytes) {
    auto* found = state_->live(address, bytes);
    if (!found)
        throw std::out_of_range(fmt::format("{} bytes at {:#x} are not inside one allocation", bytes, address));
    return {found->data + (address - found->address), size_t(bytes)};
}

LoadedModule& Gpu::load(std::string_view ptx_text) {
    auto* const parsed = state_->options.parsed;
    auto module = std::make_unique<LoadedModule>(parsed ? parsed->module(ptx_text) : ptx::parse_declarations(ptx_text),
                                                 state_->memory, state_->next_pc, state_->parts.find_instruction);
    state_->next_pc = module->end_pc();
    state_->modules.push_back(std::move(module));
    return *state_->modules.back();
}

void Gpu::unload(LoadedModule& module) {
    module.add_executed(state_->unloaded);
    std::erase_if(state_->modules, [&](const auto& candidate) { return candidate.get() == &module; });
}

Kernel Gpu::kernel(LoadedModule& module, std::string_view name) {
    Kernel kernel;
    kernel.module = &module;
    const ptx::Function* function = module.ptx().function(name);
    if (!function || !function->is_entry || function->is_extern)
        return kernel;
    kernel.function = function;
    module.prepare(*function);
    kernel.static_shared = module.static_shared(*function);
    kernel.registers = 32; // PTX registers are virtual; ptxas would choose. 32 keeps occupancy at its usual value.
    for (const auto& parameter : function->params)
        kernel.parameter_bytes = std::max(kernel.parameter_bytes, uint32_t(parameter.offset + parameter.bytes));
    for (const auto& variable : function->code().locals)
        if (variable->space == ptx::Space::local)
            kernel.local_bytes += uint32_t(variable->bytes);
    const auto& bounds = function->required_threads[0] ? function->required_threads : function->max_threads;
    if (bounds[0]) {
        kernel.max_threads = std::min(1024u, bounds[0]);
        for (const uint32_t bound : {bounds[1], bounds[2]})
            kernel.max_threads = std::min(1024u, kernel.max_threads * std::clamp(bound, 1u, 1024u));
    }
    return kernel;
}

Gpu::Range Gpu::variable(LoadedModule& module, std::string_view name) {
    const auto* variable = module.ptx().variable(name);
    const uint64_t address = variable ? module.address(*variable) : 0;
    return address ? range(address) : Range{};
}

Outcome Gpu::begin(const Kernel& kernel, const LaunchConfig& config, std::span<const std::byte> parameters,
                   const Order& order, uint64_t place) {
    State& s = *state_;
    if (!kernel.function)
        return {Fault::illegal_instruction, "no such kernel in this module"};
    if (parameters.size() < kernel.parameter_bytes)
        return {Fault::illegal_instruction,
                fmt::format("kernel {} takes {} bytes of parameters, the launch gives {}", kernel.function->name,
                            kernel.parameter_bytes, parameters.size())};
    const OperationId id = s.next_operation++;
    auto* block =
        s.memory.allocate(std::max<uint64_t>(parameters.size(), 64), AllocationKind::parameters, "kernel parameters");
    if (!block)
        return {Fault::illegal_address, "no device memory left for kernel parameters"};
    std::copy(parameters.begin(), parameters.end(), block->data);
    auto* workspace =
        config.cooperative ? s.memory.allocate(64, AllocationKind::module_variable, "grid barrier") : nullptr;
    events::Listener* listener = s.listening();
    auto grid = std::make_unique<Grid>(s.options, s.memory, kernel, config, parameters, listener,
                                       s.parts.asynchronous_units, s.running.numbers());
    grid->id = ++s.launches;
    grid->parameter_address = block->address;
    if (workspace) {
        std::memset(workspace->data, 0, 64);
        grid->workspace = workspace->address;
    }
    if (listener) {
        listener->schedule(s.options.schedule);
        listener->host_write(*block, block->address, block->bytes, order, id, "kernel parameters");
        if (workspace)
            listener->host_write(*workspace, workspace->address, 64, order, id, "grid barrier");
        listener->launch_begin(*grid, order, id);
    }
    s.running.begin(std::move(grid), id, place);
    return {};
}

Pause Gpu::advance() {
    return state_->running.advance();
}

void Gpu::give_up() {
    state_->running.give_up();
}

Ended Gpu::take_ended() {
    State& s = *state_;
    const Launches::Last last = s.running.take_ended();
    if (!last.grid)
        return {};
    s.statistics = last.grid->statistics;
    s.memory.release(last.grid->parameter_address);
    if (last.grid->workspace)
        s.memory.release(last.grid->workspace);
    return {last.id, last.grid->outcome(), s.statistics};
}

Outcome Gpu::launch(const Kernel& kernel, const LaunchConfig& config, std::span<const std::byte> parameters,
                    const Order& order) {
    if (const Outcome begun = begin(kernel, config, parameters, order, 0); !begun)
        return begun;
    for (;;)
        switch (advance()) {
        case Pause::ended:
            return take_ended().outcome;
        case Pause::stalled:
            give_up();
            break;
        case Pause::busy:
            break;
        }
}

const Statistics& Gpu::statistics() const {
    return state_->statistics;
}

Executed Gpu::executed() const {
    Executed all = state_->unloaded;
    for (const auto& module : state_->modules)
        module->add_executed(all);
    return all;
}

} // namespace sim::machine
