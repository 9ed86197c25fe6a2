// What nvcc's host code calls before main: registration of device code, kernels and variables.
#include "sim/cuda/program/runtime.h"
#include "sim/cuda/program/session.h"

using namespace sim::cuda;

ASYNCLAB_API void** __cudaRegisterFatBinary(void* wrapper) {
    Runtime::Tables& tables = Runtime::tables();
    const std::lock_guard lock(tables.mutex);
    auto module = std::make_unique<RegisteredModule>();
    module->wrapper = wrapper;
    module->handle[0] = module.get();
    void** handle = module->handle;
    tables.modules.push_back(std::move(module));
    return handle;
}

ASYNCLAB_API void __cudaRegisterFatBinaryEnd(void**) {}

ASYNCLAB_API void __cudaUnregisterFatBinary(void** handle) {
    // The program ends, or a library is unloaded.
    auto* module = handle ? static_cast<RegisteredModule*>(*handle) : nullptr;
    Runtime::Tables& tables = Runtime::tables();
    const std::lock_guard lock(tables.mutex);
    std::erase_if(tables.functions, [&](const auto& entry) { return entry.second->module == module; });
    std::erase_if(tables.variables, [&](const auto& entry) { return entry.second->module == module; });
}

ASYNCLAB_API void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*,
                                         dim3*, dim3*, int*) {
    auto function = std::make_unique<RegisteredFunction>();
    function->module = static_cast<RegisteredModule*>(*handle);
    function->name = name;
    function->host = host;
    Runtime::Tables& tables = Runtime::tables();
    const std::lock_guard lock(tables.mutex);
    tables.functions.insert_or_assign(host, std::move(function));
}

ASYNCLAB_API void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t bytes, int, int) {
    auto variable = std::make_unique<RegisteredVariable>();
    variable->module = static_cast<RegisteredModule*>(*handle);
    variable->name = name;
    variable->bytes = bytes;
    Runtime::Tables& tables = Runtime::tables();
    const std::lock_guard lock(tables.mutex);
    tables.variables.insert_or_assign(host, std::move(variable));
}

ASYNCLAB_API void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t bytes, int,
                                           int) {
    auto variable = std::make_unique<RegisteredVariable>();
    variable->module = static_cast<RegisteredModule*>(*handle);
    variable->name = name;
    variable->bytes = bytes;
    variable->managed = host;
    Runtime::Tables& tables = Runtime::tables();
    const std::lock_guard lock(tables.mutex);
    tables.variables.insert_or_assign(host, std::move(variable));
}

// Before the host first uses a __managed__ variable.
ASYNCLAB_API char __cudaInitModule(void** handle) {
    Runtime& runtime = Runtime::get();
    const std::lock_guard lock(Runtime::tables().mutex);
    try {
        runtime.load(*static_cast<RegisteredModule*>(*handle));
    } catch (const Failure& failure) {
        Session::get().cannot_run("the program's __managed__ variables: " + failure.why);
    }
    return 1;
}

ASYNCLAB_API void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}
