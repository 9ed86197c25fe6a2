// Modules and libraries that a program loads by itself: their PTX, their kernels and their variables. CUlibrary and
// CUmodule are the same thing here, and so are CUkernel and CUfunction.
#include <cstring>
#include <fstream>
#include <iterator>

#include "sim/cuda/program/driver/driver.h"
#include "sim/cuda/program/driver/image.h"

using namespace sim::cuda;

namespace {

RegisteredModule& module_of(const void* handle) {
    Runtime::Tables& tables = Runtime::tables();
    const std::lock_guard lock(tables.mutex);
    for (const auto& module : tables.modules)
        if (module.get() == handle && !module->ptx.empty())
            return *module;
    fail(cudaErrorInvalidResourceHandle, "the module does not exist (never loaded, or unloaded)");
}

void load(void** result, const void* image) {
    if (!result || !image)
        fail(cudaErrorInvalidValue);
    auto module = std::make_unique<RegisteredModule>();
    module->ptx = ptx_in(image, Runtime::get().architecture());
    Runtime::get().load(*module);
    Runtime::Tables& tables = Runtime::tables();
    const std::lock_guard lock(tables.mutex);
    *result = module.get();
    tables.modules.push_back(std::move(module));
}

void load_file(void** result, const char* name) {
    std::ifstream file(name ? name : "", std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), {}};
    if (!file)
        fail(cudaErrorFileNotFound, std::string("cannot read ") + (name ? name : "the file"));
    load(result, image.c_str());
}

void unload(const void* handle) {
    RegisteredModule& module = module_of(handle);
    Runtime::get().unload(module);
    Runtime::Tables& tables = Runtime::tables();
    const std::lock_guard lock(tables.mutex);
    std::erase_if(tables.functions, [&](const auto& entry) { return entry.second->module == &module; });
    std::erase_if(tables.modules, [&](const auto& one) { return one.get() == &module; });
}

RegisteredFunction& find_kernel(RegisteredModule& module, const char* name) {
    Runtime::Tables& tables = Runtime::tables();
    auto made = std::make_unique<RegisteredFunction>();
    {
        const std::lock_guard lock(tables.mutex);
        for (const auto& [host, function] : tables.functions)
            if (function->module == &module && function->name == name)
                return *function;
        made->module = &module;
        made->name = name;
        made->host = made.get();
        tables.functions.emplace(made->host, nullptr).first->second = std::move(made);
    }
    for (const auto& [host, function] : tables.functions)
        if (function->module == &module && function->name == name) {
            try {
                return Runtime::get().function(host); // now, so that a missing kernel is reported at once
            } catch (const Failure&) {
                const std::lock_guard lock(tables.mutex);
                tables.functions.erase(host);
                throw;
            }
        }
    fail(cudaErrorSymbolNotFound);
}

template <typename Handle>
CUresult get_kernel(const char* api_name, Handle* result, const void* module, const char* name) {
    return driver(api_name, [&] {
        if (!result || !name)
            fail(cudaErrorInvalidValue);
        *result = reinterpret_cast<Handle>(&find_kernel(module_of(module), name));
    });
}

CUresult get_variable(const char* api_name, CUdeviceptr* address, size_t* bytes, const void* module, const char* name) {
    return driver(api_name, [&] {
        if (!name)
            fail(cudaErrorInvalidValue);
        Runtime& runtime = Runtime::get();
        const FindVariable::Result found =
            runtime.call(FindVariable{module_of(module).id}, std::string_view(name)).result;
        if (address)
            *address = found.address;
        if (bytes)
            *bytes = found.bytes;
    });
}

// The driver's own linker: here its output is PTX.
struct Link {
    std::string ptx;
};

} // namespace

ASYNCLAB_API CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return driver("cuModuleLoadData", [&] { load(reinterpret_cast<void**>(module), image); });
}
ASYNCLAB_API CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
    return driver("cuModuleLoadDataEx", [&] { load(reinterpret_cast<void**>(module), image); });
}
ASYNCLAB_API CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
    return driver("cuModuleLoadFatBinary", [&] { load(reinterpret_cast<void**>(module), image); });
}
ASYNCLAB_API CUresult cuModuleLoad(CUmodule* module, const char* file) {
    return driver("cuModuleLoad", [&] { load_file(reinterpret_cast<void**>(module), file); });
}
ASYNCLAB_API CUresult cuModuleUnload(CUmodule module) {
    return driver("cuModuleUnload", [&] { unload(module); });
}
ASYNCLAB_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    return get_kernel("cuModuleGetFunction", function, module, name);
}
ASYNCLAB_API CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
    return get_variable("cuModuleGetGlobal", address, bytes, module, name);
}
ASYNCLAB_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

ASYNCLAB_API CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned,
                                        CUlibraryOption*, void**, unsigned) {
    return driver("cuLibraryLoadData", [&] { load(reinterpret_cast<void**>(library), image); });
}
ASYNCLAB_API CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option*, void**, unsigned,
                                            CUlibraryOption*, void**, unsigned) {
    return driver("cuLibraryLoadFromFile", [&] { load_file(reinterpret_cast<void**>(library), file); });
}
ASYNCLAB_API CUresult cuLibraryUnload(CUlibrary library) {
    return driver("cuLibraryUnload", [&] { unload(library); });
}
ASYNCLAB_API CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
    return get_kernel("cuLibraryGetKernel", kernel, library, name);
}
ASYNCLAB_API CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
    *module = reinterpret_cast<CUmodule>(library);
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    *function = reinterpret_cast<CUfunction>(kernel);
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
    return driver("cuFuncGetModule",
                  [&] { *module = reinterpret_cast<CUmodule>(Runtime::get().function(symbol(function)).module); });
}
ASYNCLAB_API CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
    return cuFuncGetModule(reinterpret_cast<CUmodule*>(library), reinterpret_cast<CUfunction>(kernel));
}
ASYNCLAB_API CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name) {
    return get_variable("cuLibraryGetGlobal", address, bytes, library, name);
}

ASYNCLAB_API CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* state) {
    *state = reinterpret_cast<CUlinkState>(new Link);
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuLinkAddData(CUlinkState state, CUjitInputType, void* data, size_t bytes, const char*, unsigned,
                                    CUjit_option*, void**) {
    return driver("cuLinkAddData", [&] {
        auto& link = *reinterpret_cast<Link*>(state);
        if (!link.ptx.empty())
            fail(cudaErrorNotSupported, "the simulated device links no second file to the first: put all code in one");
        link.ptx = ptx_in(std::string(static_cast<const char*>(data), bytes).c_str(), Runtime::get().architecture());
    });
}
ASYNCLAB_API CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
    auto& link = *reinterpret_cast<Link*>(state);
    *image = link.ptx.data();
    if (bytes)
        *bytes = link.ptx.size() + 1;
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuLinkDestroy(CUlinkState state) {
    delete reinterpret_cast<Link*>(state);
    return CUDA_SUCCESS;
}
