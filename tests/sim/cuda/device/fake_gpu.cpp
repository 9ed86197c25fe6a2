#include "fake_gpu.h"

#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>

#include "sim/machine/names.h"
#include "sim/memory/global_memory.h"

namespace fake {

std::vector<Record>& records() {
    static std::vector<Record> all;
    return all;
}

namespace {
std::map<std::string, Body>& bodies() {
    static std::map<std::string, Body> all;
    return all;
}
} // namespace

void define_kernel(const std::string& name, Body body) {
    bodies()[name] = std::move(body);
}

} // namespace fake

namespace sim::machine {

class LoadedModule {
  public:
    std::unique_ptr<ptx::Module> module;
    std::map<std::string, Gpu::Range, std::less<>> variables;
    // The detector's, which has nothing to look at here.
    const ptx::SourceMap& sources() const;
    std::string barrier_name(const ptx::Function&, uint32_t) const;
    bool place_managed(std::string_view name, uint64_t address);
};
bool LoadedModule::place_managed(std::string_view, uint64_t) {
    return false;
}
const ptx::SourceMap& LoadedModule::sources() const {
    throw std::logic_error("the stand-in executes no PTX");
}
std::string LoadedModule::barrier_name(const ptx::Function&, uint32_t) const {
    throw std::logic_error("the stand-in executes no PTX");
}

std::string shared_name(const Block&, uint32_t) {
    throw std::logic_error("the stand-in executes no PTX");
}
std::string global_name(const Grid&, uint64_t) {
    throw std::logic_error("the stand-in executes no PTX");
}

struct Gpu::State {
    Options options;
    memory::GlobalMemory memory;
    OperationId next = 1;
    Statistics statistics;
    std::deque<Ended> ended;
    std::vector<std::unique_ptr<LoadedModule>> modules;
    explicit State(Options from) : options(std::move(from)), memory(options.properties.total_memory) {}
    std::byte* at(uint64_t address, uint64_t bytes) {
        memory::Allocation* found = memory.find(address);
        return found && found->live && found->holds(address, bytes) ? found->data + (address - found->address)
                                                                    : nullptr;
    }
    void record(const Order& order, std::string_view what) {
        fake::records().push_back({next++, std::string(what), order.unordered});
    }
};

namespace {
const Outcome bad_address{Fault::illegal_address, "bad address"};
}

Gpu::Gpu(Options options, const Parts&) : state_(std::make_unique<State>(std::move(options))) {}
Gpu::~Gpu() = default;
const Properties& Gpu::properties() const {
    return state_->options.properties;
}
Options& Gpu::options() {
    return state_->options;
}
uint64_t Gpu::allocate(uint64_t bytes, AllocationKind kind, std::string label) {
    const auto* made = state_->memory.allocate(bytes, kind, std::move(label));
    return made ? made->address : 0;
}
bool Gpu::release(uint64_t address, std::string_view, CallSite) {
    return state_->memory.release(address);
}
void Gpu::map_host(uint64_t address, std::byte* data, uint64_t bytes, AllocationKind kind) {
    state_->memory.map_host(address, data, bytes, kind);
}
void Gpu::allocated_at(uint64_t, CallSite) {}
void Gpu::unmap_host(uint64_t address, CallSite) {
    state_->memory.unmap_host(address);
}
Gpu::Range Gpu::range(uint64_t address) const {
    const auto* found = state_->memory.find(address);
    return found && found->live && found->holds(address, 1) ? Range{found->address, found->bytes, found->kind}
                                                            : Range{};
}
uint64_t Gpu::free_bytes() const {
    return state_->memory.free_bytes();
}
OperationId Gpu::next_operation() const {
    return state_->next;
}
Outcome Gpu::write(uint64_t destination, std::span<const std::byte> source, const Order& order, std::string_view what) {
    std::byte* to = state_->at(destination, source.size());
    if (!to)
        return bad_address;
    std::memcpy(to, source.data(), source.size());
    state_->record(order, what);
    return {};
}
Outcome Gpu::read(std::span<std::byte> destination, uint64_t source, const Order& order, std::string_view what) {
    const std::byte* from = state_->at(source, destination.size());
    if (!from)
        return bad_address;
    std::memcpy(destination.data(), from, destination.size());
    state_->record(order, what);
    return {};
}
Outcome Gpu::copy(uint64_t destination, uint64_t source, uint64_t bytes, const Order& order, std::string_view what) {
    std::byte* to = state_->at(destination, bytes);
    const std::byte* from = state_->at(source, bytes);
    if (!to || !from)
        return bad_address;
    std::memmove(to, from, bytes);
    state_->record(order, what);
    return {};
}
Outcome Gpu::fill(uint64_t destination, uint32_t value, uint32_t width, uint64_t count, const Order& order,
                  std::string_view what) {
    std::byte* to = state_->at(destination, width * count);
    if (!to)
        return bad_address;
    for (uint64_t i = 0; i < count; ++i)
        std::memcpy(to + i * width, &value, width);
    state_->record(order, what);
    return {};
}
void Gpu::touch(std::span<const uint64_t>, bool, const Order& order) {
    state_->record(order, "the host");
}
void Gpu::in_stream_order(uint64_t, CallSite) {}
bool Gpu::is_in_stream_order(uint64_t) const {
    return false;
}
void Gpu::allocated(uint64_t, const Order& order) {
    state_->record(order, "cudaMallocAsync");
}
void Gpu::free(uint64_t, const Order& order, std::string_view what) {
    state_->record(order, what);
}
bool Gpu::is_freed(uint64_t) const {
    return false;
}
std::span<std::byte> Gpu::peek(uint64_t address, uint64_t bytes) {
    std::byte* data = state_->at(address, bytes);
    if (!data)
        throw std::out_of_range("peek");
    return {data, bytes};
}
LoadedModule& Gpu::load(std::string_view text) {
    auto made = std::make_unique<LoadedModule>();
    made->module = ptx::parse(text);
    for (const auto& variable : made->module->variables)
        if (variable->bytes && variable->space != ptx::Space::shared) {
            const uint64_t address = allocate(variable->bytes, AllocationKind::module_variable, variable->name);
            std::memset(peek(address, variable->bytes).data(), 0, variable->bytes);
            made->variables[variable->name] = {address, variable->bytes, AllocationKind::module_variable};
        }
    return *state_->modules.emplace_back(std::move(made));
}
void Gpu::unload(LoadedModule& module) {
    std::erase_if(state_->modules, [&](const auto& owned) { return owned.get() == &module; });
}
Kernel Gpu::kernel(LoadedModule& module, std::string_view name) {
    Kernel kernel;
    kernel.module = &module;
    kernel.function = module.module->function(name);
    if (kernel.function)
        for (const ptx::Parameter& parameter : kernel.function->params)
            kernel.parameter_bytes = static_cast<uint32_t>(parameter.offset + parameter.bytes);
    return kernel;
}
Gpu::Range Gpu::variable(LoadedModule& module, std::string_view name) {
    const auto found = module.variables.find(name);
    return found == module.variables.end() ? Range{} : found->second;
}
Outcome Gpu::begin(const Kernel& kernel, const LaunchConfig& config, std::span<const std::byte> parameters,
                   const Order& order, uint64_t) {
    const OperationId id = next_operation();
    state_->record(order, kernel.function->name);
    const auto body = fake::bodies().find(kernel.function->name);
    state_->ended.push_back(
        {id, body == fake::bodies().end() ? Outcome{} : body->second(*this, config, parameters), {}});
    return {};
}
Pause Gpu::advance() {
    return state_->ended.empty() ? Pause::stalled : Pause::ended;
}
void Gpu::give_up() {}
Ended Gpu::take_ended() {
    Ended first = state_->ended.front();
    state_->ended.pop_front();
    return first;
}
memory::GlobalMemory& Gpu::memory() {
    return state_->memory;
}
const Statistics& Gpu::statistics() const {
    return state_->statistics;
}

} // namespace sim::machine
