// Registered device code: loading modules, finding kernels and variables.
#include "base/demangle.h"
#include "sim/cuda/program/outside_heap.h"
#include "sim/cuda/program/runtime.h"
#include "sim/cuda/program/session.h"

namespace sim::cuda {

namespace {

// What __cudaRegisterFatBinary is given.
struct Wrapper {
    uint32_t magic, version;
    const std::byte* data;
    const void* prelinked;
};

std::string ptx_of(const RegisteredModule& module, uint32_t sm) {
    const auto& wrapper = *static_cast<const Wrapper*>(module.wrapper);
    if (wrapper.magic != fat_wrapper_magic || !wrapper.data)
        throw FatBinaryError("the registered device code has an unknown form");
    if (wrapper.version != 1)
        throw FatBinaryError(
            "this program was built with relocatable device code (-rdc=true or -dc), whose device linking "
            "the simulated device does not do: build it without");
    // The linker has placed the whole container; its own header holds its length.
    const uint64_t bytes = fat_container_bytes({wrapper.data, 16});
    const std::vector<FatImage> images = fat_images({wrapper.data, bytes});
    const auto image = best_ptx(images, sm);
    if (!image)
        throw FatBinaryError(missing_ptx_message(images, sm));
    return ptx_text(*image);
}

/// Ends a program whose own PTX is wrong; what it gives to the driver API may be.
void end_if_unreadable(const RegisteredModule& module, const Failure& failure) {
    if (failure.code == cudaErrorInvalidPtx && module.wrapper)
        Session::get().cannot_run("the simulated device cannot read " + failure.why);
}

} // namespace

Runtime::Tables& Runtime::tables() {
    static Tables* tables =
        new (outside_heap<Tables>()) Tables; // used by static constructors and destructors of programs
    return *tables;
}

void Runtime::load(RegisteredModule& module) {
    if (module.id)
        return;
    std::string text = module.ptx;
    try {
        if (module.wrapper && !Session::get().device_has_ptx())
            text = ptx_of(module, architecture());
    } catch (const FatBinaryError& problem) {
        Session::get().cannot_run(problem.what());
    }
    const uint64_t block = arena_->allocate(text.size() + 1);
    if (!block)
        fail(cudaErrorMemoryAllocation, "no room for the program's PTX");
    std::memcpy(to_pointer(block), text.data(), text.size());
    try {
        module.id = call(LoadModule{block, text.size()}).result.module;
    } catch (const Failure& failure) {
        arena_->release(block);
        end_if_unreadable(module, failure);
        throw;
    }
    arena_->release(block);
    for (const auto& [host, variable] : tables().variables)
        if (variable->module == &module && variable->managed)
            place_managed(*variable);
}

void Runtime::place_managed(RegisteredVariable& variable) {
    if (Session::get().real_device())
        Session::get().cannot_run("__managed__ variables do not work with --device gpu: use cudaMallocManaged");
    variable.address = map_host_block(variable.bytes, Allocation::Kind::managed, cudaMemAttachGlobal);
    call(PlaceManaged{variable.module->id, variable.address}, variable.name);
    Allocation made;
    find(variable.address, made);
    made.is_variable = true;
    add(made);
    *variable.managed = to_pointer(variable.address);
}

namespace {

/// By host stub or handle; nullptr: there is none. The tables are locked.
RegisteredFunction* registered(Runtime::Tables& all, const void* symbol) {
    if (const auto entry = all.functions.find(symbol); entry != all.functions.end())
        return entry->second.get();
    for (const auto& [host, function] : all.functions)
        if (function.get() == symbol)
            return function.get();
    return nullptr;
}

} // namespace

std::string Runtime::kernel_name(const void* symbol) {
    Tables& all = tables();
    const std::lock_guard lock(all.mutex);
    const RegisteredFunction* found = registered(all, symbol);
    return found ? base::function_name(found->name) : std::string();
}

RegisteredFunction& Runtime::function(const void* symbol) {
    Tables& all = tables();
    const std::lock_guard lock(all.mutex);
    RegisteredFunction* found = registered(all, symbol);
    if (!found)
        fail(cudaErrorInvalidDeviceFunction, "the function is no __global__ function of this program");
    if (found->kernel)
        return *found;
    load(*found->module);
    const auto answer = [&] {
        try {
            return call(FindKernel{found->module->id}, found->name);
        } catch (const Failure& failure) {
            end_if_unreadable(*found->module, failure);
            throw;
        }
    }();
    const FindKernel::Result& kernel = answer.result;
    found->static_shared = static_cast<uint32_t>(kernel.static_shared);
    found->local_bytes = static_cast<uint32_t>(kernel.local_bytes);
    found->registers = static_cast<uint32_t>(kernel.registers);
    found->parameter_bytes = static_cast<uint32_t>(kernel.parameter_bytes);
    found->max_threads = static_cast<uint32_t>(kernel.max_threads);
    std::vector<uint32_t> layout(answer.payload.size() / sizeof(uint32_t));
    std::memcpy(layout.data(), answer.payload.data(), layout.size() * sizeof(uint32_t));
    for (size_t i = 0; i < 3 && i < layout.size(); ++i)
        found->required_cluster[i] = layout[i];
    found->parameters.clear();
    for (size_t i = 3; i + 1 < layout.size(); i += 2)
        if (layout[i] <= found->parameter_bytes && layout[i + 1] <= found->parameter_bytes - layout[i])
            found->parameters.push_back({layout[i], layout[i + 1]});
    found->max_dynamic_shared = device().shared_per_block - std::min(device().shared_per_block, found->static_shared);
    found->kernel = kernel.kernel;
    return *found;
}

RegisteredVariable& Runtime::variable(const void* symbol) {
    Tables& all = tables();
    const std::lock_guard lock(all.mutex);
    auto entry = all.variables.find(symbol);
    if (entry == all.variables.end()) // the name of a __managed__ variable is its memory
        entry = std::ranges::find_if(all.variables, [&](const auto& known) {
            return known.second->managed && known.second->address && known.second->address == to_address(symbol);
        });
    if (entry == all.variables.end())
        fail(cudaErrorInvalidSymbol, "the symbol is no __device__ or __constant__ variable of this program (pass the "
                                     "variable itself, not its address or its name)");
    RegisteredVariable& found = *entry->second;
    if (!found.address) {
        load(*found.module);
        const FindVariable::Result variable = call(FindVariable{found.module->id}, found.name).result;
        found.bytes = variable.bytes;
        found.address = variable.address;
        if (Session::get().real_device()) // whose driver puts variables anywhere
            add({Allocation::Kind::device, found.address, found.bytes, 0, 0, 0, 0});
    }
    return found;
}

bool Runtime::find_variable(uint64_t address, Allocation& found) {
    Tables& all = tables();
    const std::lock_guard lock(all.mutex);
    for (const auto& [host, variable] : all.variables)
        if (variable->address && !variable->managed && address >= variable->address &&
            address - variable->address < variable->bytes) {
            found = {Allocation::Kind::device, variable->address, variable->bytes, 0, 0, 0, 0};
            return true;
        }
    return false;
}

void Runtime::unload(RegisteredModule& module) {
    if (!module.id)
        return;
    call(UnloadModule{module.id});
    module.id = 0;
}

} // namespace sim::cuda
