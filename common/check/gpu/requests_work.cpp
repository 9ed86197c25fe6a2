// Requests about modules, kernels and what streams are filled with: copies, fills and launches.
#include <algorithm>
#include <cstring>

#include "check/gpu/requests.h"
#include "sim/cuda/error_code.h"

namespace check::gpu {

using namespace sim::cuda;

namespace {

constexpr uint64_t limit = uint64_t{1} << 41; // no size or pitch is larger, so products cannot overflow

std::string text_of(std::span<const std::byte> payload) {
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

bool in_host_range(uint64_t address) {
    return address >= host_base && address - host_base < host_bytes;
}

uint64_t extent(uint64_t width, uint64_t height, uint64_t depth, uint64_t pitch, uint64_t slice) {
    if (!width || !height || !depth || std::max({width, height, depth, pitch, slice}) > limit)
        return 0;
    if ((height > 1 && (pitch < width || height - 1 > limit / pitch)) ||
        (depth > 1 && (slice == 0 || depth - 1 > limit / slice)))
        return 0;
    return (depth - 1) * slice + (height - 1) * pitch + width;
}

} // namespace

void Requests::load_module(const LoadModule& body, Payload, Reply& reply) {
    const std::byte* data = shared_.at(body.text, body.bytes);
    if (!data)
        throw Refused{error::invalid_value, "the PTX is not in the shared memory"};
    // A copy: the program may change the shared memory while the driver reads it. It ends with a zero byte.
    const std::string text(reinterpret_cast<const char*>(data), body.bytes);
    char messages[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_GENERATE_LINE_INFO};
    void* values[] = {messages, reinterpret_cast<void*>(sizeof messages - 1), reinterpret_cast<void*>(uintptr_t{1})};
    CUmodule module = nullptr;
    if (const CUresult result = cu_.cuModuleLoadDataEx(&module, text.c_str(), 3, options, values))
        throw Refused{static_cast<uint32_t>(result),
                      "the GPU's driver refuses the program's PTX: " + error_text(result) + "\n" + messages};
    reply.values[0] = new_id();
    modules_.emplace(reply.values[0], module);
}

void Requests::unload_module(const UnloadModule& body, Payload, Reply&) {
    const auto found = modules_.find(body.module);
    if (found == modules_.end())
        throw Refused{error::invalid_resource_handle, "no such module"};
    drain();
    std::erase_if(kernels_, [&](const auto& kernel) { return kernel.second.module == body.module; });
    checked(cu_.cuModuleUnload(found->second), "unloading a module");
    modules_.erase(found);
}

void Requests::find_kernel(const FindKernel& body, Payload payload, Reply& reply) {
    const auto module = modules_.find(body.module);
    if (module == modules_.end())
        throw Refused{error::invalid_resource_handle, "no such module"};
    Kernel kernel;
    kernel.module = body.module;
    if (cu_.cuModuleGetFunction(&kernel.function, module->second, text_of(payload).c_str()))
        throw Refused{error::symbol_not_found, "the program's PTX has no kernel " + text_of(payload)};
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
    kernel.static_shared = get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    reply.values[0] = new_id();
    reply.values[1] = kernel.static_shared;
    reply.values[2] = get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    reply.values[3] = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
    reply.values[4] = kernel.parameter_bytes;
    reply.values[5] = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    reply.payload.assign(reinterpret_cast<const char*>(layout.data()), layout.size() * sizeof(uint32_t));
    kernels_.emplace(reply.values[0], kernel);
}

void Requests::find_variable(const FindVariable& body, Payload payload, Reply& reply) {
    const auto module = modules_.find(body.module);
    if (module == modules_.end())
        throw Refused{error::invalid_resource_handle, "no such module"};
    CUdeviceptr address = 0;
    size_t bytes = 0;
    if (cu_.cuModuleGetGlobal(&address, &bytes, module->second, text_of(payload).c_str()))
        throw Refused{error::invalid_symbol, "the program's PTX has no variable " + text_of(payload)};
    memory_->add(address, bytes);
    reply.values[0] = address;
    reply.values[1] = bytes;
}

void Requests::check_side(const Side& side, const Copy& copy, const char* which) const {
    const uint64_t bytes = extent(copy.width, copy.height, copy.depth, side.pitch, side.slice);
    const bool valid =
        in_host_range(side.address) ? shared_.at(side.address, bytes) != nullptr : memory_->inside(side.address, bytes);
    if (!bytes || !valid)
        throw Refused{error::invalid_value, std::string("the ") + which + " of a copy of " + std::to_string(bytes) +
                                                " bytes is not inside one allocation"};
}

void Requests::copy(const Copy& body, Payload, Reply& reply) {
    const CUstream in = stream(body.stream);
    check_side({body.destination, body.destination_pitch, body.destination_slice}, body, "destination");
    check_side({body.source, body.source_pitch, body.source_slice}, body, "source");
    operation_begins(in);
    for (uint64_t slice = 0; slice < body.depth; ++slice)
        for (uint64_t row = 0; row < body.height; ++row) {
            const uint64_t to = body.destination + slice * body.destination_slice + row * body.destination_pitch;
            checked(cu_.cuMemcpyAsync(to, body.source + slice * body.source_slice + row * body.source_pitch, body.width,
                                      in),
                    "cudaMemcpy");
            if (!in_host_range(to))
                host_written_.emplace_back(to, body.width);
        }
    reply.values[0] = new_id();
    if (body.watch == 2) { // the program may use the staging memory again when the copy has read it
        CUevent done = nullptr;
        checked(cu_.cuEventCreate(&done, CU_EVENT_DISABLE_TIMING), "creating an event");
        checked(cu_.cuEventRecord(done, in), "recording an event");
        staging_.emplace(reply.values[0], done);
    } else if (body.watch) {
        reply.released.push_back(reply.values[0]); // early accesses are found by the simulated device
    }
}

void Requests::copy(uint64_t destination, uint64_t source, uint64_t bytes) {
    const CUstream in = stream(legacy_stream);
    operation_begins(in);
    checked(cu_.cuMemcpyAsync(destination, source, bytes, in), "cudaMemcpyAsync");
}

void Requests::fill(const Fill& body, Payload, Reply& reply) {
    const CUstream in = stream(body.stream);
    const uint64_t width = body.count > limit ? 0 : body.count * body.element_bytes;
    const uint64_t bytes = extent(width, body.height, 1, body.pitch, 0);
    if (!bytes || !memory_->inside(body.destination, bytes) || !body.element_bytes ||
        body.destination % body.element_bytes)
        throw Refused{error::invalid_value, "the destination of a set is not inside one allocation"};
    operation_begins(in);
    for (uint64_t row = 0; row < body.height; ++row) {
        const uint64_t to = body.destination + row * body.pitch;
        checked(body.element_bytes == 1
                    ? cu_.cuMemsetD8Async(to, static_cast<unsigned char>(body.value), body.count, in)
                : body.element_bytes == 2
                    ? cu_.cuMemsetD16Async(to, static_cast<unsigned short>(body.value), body.count, in)
                    : cu_.cuMemsetD32Async(to, body.value, body.count, in),
                "cudaMemset");
        host_written_.emplace_back(to, width);
    }
    reply.values[0] = new_id();
}

// So much more dynamic shared memory that one block more than wanted would not fit on an SM.
void Requests::pad_shared(CUfunction function, uint64_t static_shared, uint32_t& dynamic, uint64_t granted) {
    int per_sm = 0, reserved = 0, most = 0;
    cu_.cuDeviceGetAttribute(&per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, device_);
    cu_.cuDeviceGetAttribute(&reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, device_);
    cu_.cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device_);
    const int64_t total = per_sm / (options_.blocks_per_sm + 1) - reserved + 1024;
    const int64_t wanted = std::min<int64_t>(total, most) - static_cast<int64_t>(static_shared);
    dynamic = static_cast<uint32_t>(std::max<int64_t>(dynamic, wanted));
    if (static_shared + dynamic > granted)
        checked(cu_.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       static_cast<int>(dynamic)),
                "a block's shared memory");
}

void Requests::launch(const Launch& body, Payload payload, Reply& reply) {
    const CUstream in = stream(body.stream);
    const auto found = kernels_.find(body.kernel);
    if (found == kernels_.end())
        throw Refused{error::invalid_resource_handle, "no such kernel"};
    const Kernel& kernel = found->second;
    if (payload.size() != kernel.parameter_bytes)
        throw Refused{error::invalid_value, "the parameters have the wrong size"};
    uint32_t dynamic = body.dynamic_shared;
    constexpr uint32_t usual_shared = 48 << 10;
    if (body.max_shared > usual_shared)
        checked(cu_.cuFuncSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       static_cast<int>(body.max_shared - kernel.static_shared)),
                "cudaFuncAttributeMaxDynamicSharedMemorySize");
    if (options_.blocks_per_sm)
        pad_shared(kernel.function, kernel.static_shared, dynamic, std::max(body.max_shared, usual_shared));

    CUlaunchAttribute attributes[2] = {};
    CUlaunchConfig config{};
    config.gridDimX = body.grid[0], config.gridDimY = body.grid[1], config.gridDimZ = body.grid[2];
    config.blockDimX = body.block[0], config.blockDimY = body.block[1], config.blockDimZ = body.block[2];
    config.sharedMemBytes = dynamic;
    config.hStream = in;
    config.attrs = attributes;
    if (body.cooperative) {
        attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[config.numAttrs++].value.cooperative = 1;
    }
    const uint64_t cluster = uint64_t{body.cluster[0]} * body.cluster[1] * body.cluster[2];
    if (cluster > 1 && !kernel.required_cluster) {
        auto& size = attributes[config.numAttrs].value.clusterDim;
        attributes[config.numAttrs++].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        size.x = body.cluster[0], size.y = body.cluster[1], size.z = body.cluster[2];
    }
    if (cluster > 8)
        checked(cu_.cuFuncSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                "a cluster of more than 8 blocks");
    std::vector<std::byte> parameters(payload.begin(), payload.end());
    size_t bytes = parameters.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    operation_begins(in);
    host_written_.clear(); // the kernel may write over it
    checked(cu_.cuLaunchKernelEx(&config, kernel.function, nullptr, extra), "launching a kernel");
    reply.values[0] = new_id();
}

void Requests::encode_map(const EncodeMap& body, Payload payload, Reply& reply) {
    CUtensorMap map{};
    void* const address = reinterpret_cast<void*>(body.address);
    const auto type = static_cast<CUtensorMapDataType>(body.type);
    const auto interleave = static_cast<CUtensorMapInterleave>(body.interleave);
    const auto swizzle = static_cast<CUtensorMapSwizzle>(body.swizzle);
    const auto promotion = static_cast<CUtensorMapL2promotion>(body.l2_promotion);
    const auto fill = static_cast<CUtensorMapFloatOOBfill>(body.fill);
    if (body.rank > 5)
        throw Refused{error::invalid_value, "a tensor has at most five dimensions"};
    switch (body.kind) {
    case EncodeMap::Kind::tiled:
        checked(cu_.cuTensorMapEncodeTiled(&map, type, body.rank, address, body.dim, body.stride, body.box,
                                           body.element_stride, interleave, swizzle, promotion, fill),
                "cuTensorMapEncodeTiled");
        break;
    case EncodeMap::Kind::im2col:
        checked(cu_.cuTensorMapEncodeIm2col(&map, type, body.rank, address, body.dim, body.stride, body.lower,
                                            body.upper, body.channels, body.pixels, body.element_stride, interleave,
                                            swizzle, promotion, fill),
                "cuTensorMapEncodeIm2col");
        break;
    case EncodeMap::Kind::replace_address:
        if (payload.size() != sizeof map)
            throw Refused{error::invalid_value, "no tensor map"};
        std::memcpy(&map, payload.data(), sizeof map);
        checked(cu_.cuTensorMapReplaceAddress(&map, address), "cuTensorMapReplaceAddress");
        break;
    default:
        throw Refused{error::invalid_value, "unknown kind of map"};
    }
    reply.payload.assign(reinterpret_cast<const char*>(&map), sizeof map);
}

} // namespace check::gpu
