// Commands about modules and kernels.
#include "sim/cuda/error_code.h"
#include "sim/cuda/service.h"

namespace sim::cuda {

namespace {

std::string name_of(std::span<const std::byte> payload) {
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

} // namespace

void Service::load_module(const LoadModule& body, std::span<const std::byte>, Reply& reply) {
    std::byte* data = shared_.at(body.text, body.bytes);
    if (!data)
        throw Refused{error::invalid_value, "the PTX is not in the shared memory"};
    if (listener_)
        listener_->reads_host({data, body.bytes}, false);
    // A copy: the program may change the shared memory while we read it.
    const std::string text(reinterpret_cast<const char*>(data), body.bytes);
    try {
        machine::LoadedModule& module = gpu_.load(text);
        reply.values[0] = new_id();
        modules_.emplace(reply.values[0], &module);
    } catch (const ptx::ParseError& problem) {
        throw Refused{error::invalid_ptx,
                      "the program's PTX, line " + std::to_string(problem.line) + ": " + problem.what()};
    }
}

void Service::unload_module(const UnloadModule& body, std::span<const std::byte>, Reply&) {
    const auto found = modules_.find(body.module);
    if (found == modules_.end())
        throw Refused{error::invalid_resource_handle, "no such module"};
    timeline_.run_all();
    if (!timeline_.idle())
        return; // work is stuck behind a host call; the module stays
    std::erase_if(kernels_, [&](const auto& kernel) { return kernel.second.module == found->second; });
    std::erase_if(kernel_ids_, [&](const auto& kernel) { return kernel.first.first == body.module; });
    gpu_.unload(*found->second);
    modules_.erase(found);
}

void Service::find_kernel(const FindKernel& body, std::span<const std::byte> payload, Reply& reply) {
    const auto module = modules_.find(body.module);
    if (module == modules_.end())
        throw Refused{error::invalid_resource_handle, "no such module"};
    const std::string name = name_of(payload);
    const machine::Kernel kernel = gpu_.kernel(*module->second, name);
    if (!kernel.function)
        throw Refused{error::symbol_not_found, "the program's PTX has no kernel " + name};
    uint64_t& id = kernel_ids_[{body.module, name}];
    if (!id)
        id = new_id();
    kernels_.insert_or_assign(id, kernel);
    reply.values[0] = id;
    reply.values[1] = kernel.static_shared;
    reply.values[2] = kernel.local_bytes;
    reply.values[3] = kernel.registers;
    reply.values[4] = kernel.parameter_bytes;
    reply.values[5] = kernel.max_threads;
    // Where each parameter lies in the parameter block, then what __cluster_dims__ asks for.
    std::vector<uint32_t> layout;
    for (const uint32_t blocks : kernel.function->required_cluster)
        layout.push_back(blocks);
    for (const ptx::Parameter& parameter : kernel.function->params) {
        layout.push_back(static_cast<uint32_t>(parameter.offset));
        layout.push_back(static_cast<uint32_t>(parameter.bytes));
    }
    reply.payload.assign(reinterpret_cast<const char*>(layout.data()), layout.size() * sizeof(uint32_t));
}

void Service::find_variable(const FindVariable& body, std::span<const std::byte> payload, Reply& reply) {
    const auto module = modules_.find(body.module);
    if (module == modules_.end())
        throw Refused{error::invalid_resource_handle, "no such module"};
    const machine::Gpu::Range range = gpu_.variable(*module->second, name_of(payload));
    if (!range.bytes)
        throw Refused{error::invalid_symbol, "the program's PTX has no variable " + name_of(payload)};
    reply.values[0] = range.address;
    reply.values[1] = range.bytes;
}

} // namespace sim::cuda
