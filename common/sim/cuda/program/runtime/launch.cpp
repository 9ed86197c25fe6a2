// Kernel launches.
#include <cstring>
#include <utility>

#include "sim/cuda/program/failed_calls.h"
#include "sim/cuda/program/graph.h"

namespace sim::cuda {

namespace {

struct Configuration {
    dim3 grid, block;
    size_t shared = 0;
    cudaStream_t stream = nullptr;
    const void* site = nullptr; ///< of the launch in the program, by its return address
    uint32_t call = 0;          ///< its number (call_sites.h)
};
thread_local std::vector<Configuration> configurations; // pushed by <<<>>>, popped by the kernel's host stub
thread_local const void* popped_site = nullptr;         // of the one that the stub is about to launch with
thread_local uint32_t popped_call = 0;                  // the same

struct LaunchOptions {
    dim3 cluster{0, 0, 0};
    bool cooperative = false;
    bool programmatic = false; ///< may start before the launch before it is complete
};

graph::KernelWork work_of(const void* symbol, const Configuration& configuration, void** arguments,
                          const LaunchOptions& options) {
    Runtime& runtime = Runtime::get();
    const RegisteredFunction& function = runtime.function(symbol);
    if (configuration.shared > UINT32_MAX)
        fail(cudaErrorInvalidValue, "more than 4 GiB of dynamic shared memory");

    Launch body{};
    body.kernel = function.kernel;
    const auto set = [](uint32_t(&to)[3], const dim3& from) {
        to[0] = from.x;
        to[1] = from.y;
        to[2] = from.z;
    };
    set(body.grid, configuration.grid);
    set(body.block, configuration.block);
    dim3 cluster = options.cluster;
    if (!cluster.x && function.required_cluster[0])
        cluster = {function.required_cluster[0], function.required_cluster[1], function.required_cluster[2]};
    else if (cluster.x && function.required_cluster[0] &&
             (cluster.x != function.required_cluster[0] || cluster.y != function.required_cluster[1] ||
              cluster.z != function.required_cluster[2]))
        fail(cudaErrorInvalidClusterSize,
             "the launch asks for another cluster size than the kernel's __cluster_dims__");
    if (!cluster.x)
        cluster = {1, 1, 1};
    if (uint64_t{cluster.x} * cluster.y * cluster.z >
        (function.nonportable_cluster ? 16u : runtime.device().max_cluster))
        fail(cudaErrorInvalidClusterSize, "a cluster may have 8 blocks; up to 16 after "
                                          "cudaFuncAttributeNonPortableClusterSizeAllowed");
    set(body.cluster, cluster);
    body.dynamic_shared = static_cast<uint32_t>(configuration.shared);
    body.cooperative = options.cooperative;
    body.programmatic = options.programmatic;
    body.max_shared = function.static_shared + function.max_dynamic_shared;

    std::vector<std::byte> parameters(function.parameter_bytes);
    for (size_t i = 0; i < function.parameters.size(); ++i) {
        if (!arguments || !arguments[i])
            fail(cudaErrorInvalidValue, "kernel argument " + std::to_string(i) + " is missing");
        std::memcpy(parameters.data() + function.parameters[i].offset, arguments[i], function.parameters[i].bytes);
    }
    return {body, std::move(parameters), symbol};
}

void launch(const void* symbol, const Configuration& configuration, void** arguments, const LaunchOptions& options) {
    try {
        graph::put(configuration.stream, work_of(symbol, configuration, arguments, options));
    } catch (Failure& failure) {
        failure.kernel = Runtime::get().kernel_name(symbol);
        throw;
    }
}

// Also of the launches that nvcc makes of <<<>>>, which return no result.
cudaError_t launch_by_call(const char* name, const void* symbol, const Configuration& configuration, void** arguments,
                           const LaunchOptions& options = {}) {
    const LaunchSite site(std::exchange(popped_site, nullptr));
    const call_sites::Use call(std::exchange(popped_call, 0));
    return api(name, [&] { launch(symbol, configuration, arguments, options); });
}

LaunchOptions options_of(const cudaLaunchConfig_t& config) {
    LaunchOptions options;
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config.attrs[i];
        switch (attribute.id) {
        case cudaLaunchAttributeCooperative:
            options.cooperative = attribute.val.cooperative != 0;
            break;
        case cudaLaunchAttributeClusterDimension:
            options.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
            break;
        case cudaLaunchAttributeProgrammaticStreamSerialization:
            options.programmatic = attribute.val.programmaticStreamSerializationAllowed != 0;
            break;
        case cudaLaunchAttributeProgrammaticEvent:
        case cudaLaunchAttributeLaunchCompletionEvent:
        case cudaLaunchAttributeDeviceUpdatableKernelNode:
            fail(cudaErrorNotSupported, "launch attribute " + std::to_string(static_cast<int>(attribute.id)) +
                                            " is not supported by the simulated device");
        default: // hints
            break;
        }
    }
    return options;
}

} // namespace

graph::KernelWork graph::kernel_work(const void* function, dim3 grid, dim3 block, size_t shared, void** arguments) {
    return work_of(function, {grid, block, shared, nullptr}, arguments, {});
}

} // namespace sim::cuda

using namespace sim::cuda;

ASYNCLAB_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
    configurations.push_back({grid, block, shared, stream, __builtin_return_address(0), call_sites::here()});
    return 0;
}

ASYNCLAB_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    if (configurations.empty())
        return cudaErrorMissingConfiguration;
    const Configuration& top = configurations.back();
    *grid = top.grid;
    *block = top.block;
    *shared = top.shared;
    *static_cast<cudaStream_t*>(stream) = top.stream;
    popped_site = top.site;
    popped_call = top.call;
    configurations.pop_back();
    return cudaSuccess;
}

ASYNCLAB_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                          cudaStream_t stream) {
    return launch_by_call("cudaLaunchKernel", function, {grid, block, shared, stream}, arguments);
}

ASYNCLAB_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                                     size_t shared, cudaStream_t stream) {
    return launch_by_call("cudaLaunchCooperativeKernel", function, {grid, block, shared, stream}, arguments,
                          {.cooperative = true});
}

ASYNCLAB_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
    return api("cudaLaunchKernelEx", [&] {
        if (!config || (config->numAttrs && !config->attrs))
            fail(cudaErrorInvalidValue, "no launch configuration");
        launch(function, {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream}, arguments,
               options_of(*config));
    });
}

// CUDA 13 objects fetch a handle once and launch by it.
ASYNCLAB_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    // The handle is the stub's address: nothing may go wrong here, since the generated code does not look at the
    // result.
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
}

ASYNCLAB_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                            cudaStream_t stream) {
    return launch_by_call("cudaLaunchKernel", kernel, {grid, block, shared, stream}, arguments);
}

// nvcc --default-stream per-thread
ASYNCLAB_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                                 size_t shared, cudaStream_t stream) {
    return __cudaLaunchKernel(kernel, grid, block, arguments, shared, per_thread(stream));
}
ASYNCLAB_API cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                               size_t shared, cudaStream_t stream) {
    return cudaLaunchKernel(function, grid, block, arguments, shared, per_thread(stream));
}
ASYNCLAB_API cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                                          size_t shared, cudaStream_t stream) {
    return cudaLaunchCooperativeKernel(function, grid, block, arguments, shared, per_thread(stream));
}
ASYNCLAB_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                                  void** arguments) {
    if (!config)
        return cudaLaunchKernelExC(config, function, arguments);
    cudaLaunchConfig_t own = *config;
    own.stream = per_thread(config->stream);
    return cudaLaunchKernelExC(&own, function, arguments);
}
