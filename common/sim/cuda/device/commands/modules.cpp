// Modules (PTX), their kernels and their variables.
#include "sim/cuda/device/commands/checks.h"
#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/device/service.h"

namespace sim::cuda {

namespace {

template <typename Modules>
auto& module_of(Modules& modules, uint64_t id) {
    const auto found = modules.find(id);
    if (found == modules.end())
        throw Refused{error::invalid_resource_handle, "no such module"};
    return found->second;
}

std::span<std::byte> ptx_of(const SharedMemory& shared, const LoadModule& load) {
    if (load.bytes > max_ptx_bytes)
        throw Refused{error::invalid_value, "more than 256 MiB of PTX"};
    std::byte* const data = shared.at(load.text, load.bytes);
    if (!data)
        throw Refused{error::invalid_value, "the PTX is not in the shared memory"};
    return {data, load.bytes};
}

Refused invalid(const ptx::ParseError& problem) {
    return {error::invalid_ptx, "the program's PTX, line " + std::to_string(problem.line) + ": " + problem.what()};
}

Refused no_kernel(const std::string& name) {
    return {error::symbol_not_found, "the program's PTX has no kernel " + name};
}

Refused no_variable(const std::string& name) {
    return {error::invalid_symbol, "the program's PTX has no variable " + name};
}

void answer(const std::vector<uint32_t>& layout, Reply& reply) {
    reply.payload.assign(reinterpret_cast<const char*>(layout.data()), layout.size() * sizeof(uint32_t));
}

} // namespace

// --- LoadModule ---

template <>
LoadModule::Result Service::carry_out(const LoadModule& load, Payload, Reply&) {
    const std::span<std::byte> ptx = ptx_of(shared_, load);
    if (listener_)
        listener_->reads_host(ptx, false);
    const std::string text = text_of(ptx); // a copy: the program may change the shared memory while we read it
    try {
        machine::LoadedModule& module = gpu_.load(text);
        const uint64_t id = new_id();
        modules_.emplace(id, &module);
        return {id};
    } catch (const ptx::ParseError& problem) {
        throw invalid(problem);
    }
}

template <>
LoadModule::Result RealGpu::carry_out(const LoadModule& load, Payload, Reply&) {
    // A copy, which ends with a zero byte: the program may change the shared memory while the driver reads it.
    const std::string text = text_of(ptx_of(shared_, load));
    char messages[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_GENERATE_LINE_INFO};
    void* values[] = {messages, reinterpret_cast<void*>(sizeof messages - 1), reinterpret_cast<void*>(uintptr_t{1})};
    CUmodule module = nullptr;
    if (const CUresult result = cu_.cuModuleLoadDataEx(&module, text.c_str(), 3, options, values))
        throw Refused{static_cast<uint32_t>(result),
                      "the GPU's driver refuses the program's PTX: " + gpu::error_text(result) + "\n" + messages};
    const uint64_t id = new_id();
    modules_.emplace(id, module);
    return {id};
}

// --- UnloadModule ---

template <>
void Service::carry_out(const UnloadModule& unload, Payload, Reply&) {
    machine::LoadedModule* const module = module_of(modules_, unload.module);
    streams_.run_all();
    if (!streams_.idle())
        return; // work is stuck behind a host call; the module stays
    std::erase_if(kernels_, [&](const auto& kernel) { return kernel.second.module == module; });
    std::erase_if(kernel_ids_, [&](const auto& kernel) { return kernel.first.first == unload.module; });
    gpu_.unload(*module);
    modules_.erase(unload.module);
}

template <>
void RealGpu::carry_out(const UnloadModule& unload, Payload, Reply&) {
    const CUmodule module = module_of(modules_, unload.module);
    drain();
    std::erase_if(kernels_, [&](const auto& kernel) { return kernel.second.module == unload.module; });
    checked(cu_.cuModuleUnload(module), "unloading a module");
    modules_.erase(unload.module);
}

// --- FindKernel ---

template <>
FindKernel::Result Service::carry_out(const FindKernel& find, Payload payload, Reply& reply) {
    machine::LoadedModule* const module = module_of(modules_, find.module);
    const std::string name = text_of(payload);
    machine::Kernel kernel;
    try {
        kernel = gpu_.kernel(*module, name);
    } catch (const ptx::ParseError& problem) {
        throw invalid(problem);
    }
    if (!kernel.function)
        throw no_kernel(name);
    uint64_t& id = kernel_ids_[{find.module, name}];
    if (!id)
        id = new_id();
    kernels_.insert_or_assign(id, kernel);
    std::vector<uint32_t> layout;
    for (const uint32_t blocks : kernel.function->required_cluster)
        layout.push_back(blocks);
    for (const ptx::Parameter& parameter : kernel.function->params) {
        layout.push_back(static_cast<uint32_t>(parameter.offset));
        layout.push_back(static_cast<uint32_t>(parameter.bytes));
    }
    answer(layout, reply);
    return {id, kernel.static_shared, kernel.local_bytes, kernel.registers, kernel.parameter_bytes, kernel.max_threads};
}

template <>
FindKernel::Result RealGpu::carry_out(const FindKernel& find, Payload payload, Reply& reply) {
    const CUmodule module = module_of(modules_, find.module);
    const std::string name = text_of(payload);
    Kernel kernel;
    kernel.module = find.module;
    if (cu_.cuModuleGetFunction(&kernel.function, module, name.c_str()))
        throw no_kernel(name);
    const auto get = [&](CUfunction_attribute which) {
        int value = 0;
        cu_.cuFuncGetAttribute(&value, which, kernel.function);
        return static_cast<uint32_t>(value);
    };
    std::vector<uint32_t> layout{get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH),
                                 get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
                                 get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)};
    kernel.required_cluster = layout[0] != 0;
    size_t offset = 0, bytes = 0;
    for (size_t i = 0; cu_.cuFuncGetParamInfo(kernel.function, i, &offset, &bytes) == CUDA_SUCCESS; ++i) {
        layout.push_back(static_cast<uint32_t>(offset));
        layout.push_back(static_cast<uint32_t>(bytes));
        kernel.parameter_bytes = static_cast<uint32_t>(offset + bytes);
    }
    answer(layout, reply);
    kernel.static_shared = get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    const uint64_t id = new_id();
    kernels_.emplace(id, kernel);
    return {id,
            kernel.static_shared,
            get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
            get(CU_FUNC_ATTRIBUTE_NUM_REGS),
            kernel.parameter_bytes,
            get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)};
}

// --- FindVariable ---

template <>
FindVariable::Result Service::carry_out(const FindVariable& find, Payload payload, Reply&) {
    machine::LoadedModule* const module = module_of(modules_, find.module);
    const machine::Gpu::Range range = gpu_.variable(*module, text_of(payload));
    if (!range.bytes)
        throw no_variable(text_of(payload));
    return {range.address, range.bytes};
}

template <>
FindVariable::Result RealGpu::carry_out(const FindVariable& find, Payload payload, Reply&) {
    const CUmodule module = module_of(modules_, find.module);
    CUdeviceptr address = 0;
    size_t bytes = 0;
    if (cu_.cuModuleGetGlobal(&address, &bytes, module, text_of(payload).c_str()))
        throw no_variable(text_of(payload));
    memory_->add(address, bytes);
    return {address, bytes};
}

// --- PlaceManaged ---

template <>
void Service::carry_out(const PlaceManaged& place, Payload payload, Reply&) {
    const std::string name = text_of(payload);
    if (!mapped_.contains(place.address) || !module_of(modules_, place.module)->place_managed(name, place.address))
        throw Refused{error::invalid_value, "the managed variable " + name + " cannot be placed"};
}

template <>
void RealGpu::carry_out(const PlaceManaged&, Payload, Reply&) {
    throw Refused{error::not_supported, "__managed__ variables do not work with --device gpu"};
}

} // namespace sim::cuda
