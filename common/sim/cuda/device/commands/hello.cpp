// A program's first command, which asks for the device's properties, and the one that asks for the architecture, which
// the first answer leaves out.
#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/device/service.h"

namespace sim::cuda {

namespace {

void answer(const machine::Properties& properties, Reply& reply) {
    reply.payload.assign(reinterpret_cast<const char*>(&properties), sizeof properties);
}

} // namespace

template <>
void Service::carry_out(const Hello& hello, Payload, Reply& reply) {
    if (hello.version != protocol_version)
        throw Refused{error::not_supported, "the program was linked with another version of the simulated device"};
    machine::Properties properties = gpu_.properties();
    properties.sm = 0;
    answer(properties, reply);
}

template <>
Architecture::Result Service::carry_out(const Architecture&, Payload, Reply&) {
    return {gpu_.properties().sm};
}

template <>
void RealGpu::carry_out(const Hello& hello, Payload, Reply& reply) {
    if (hello.version != protocol_version)
        throw Refused{error::not_supported, "the program was linked with another version of the checker's runtime"};
    const auto get = [&](CUdevice_attribute which) { return static_cast<uint32_t>(gpu::attribute(device_, which)); };
    machine::Properties properties;
    properties.sm =
        10 * get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    properties.sm_count = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if (options_.sms)
        properties.sm_count = std::min(properties.sm_count, options_.sms);
    properties.max_threads_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    properties.max_blocks_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    properties.registers_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    properties.shared_per_sm = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    properties.shared_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    properties.shared_per_block_optin = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    properties.reserved_shared_per_block = get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    properties.clock = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    properties.memory_clock = get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    properties.memory_bus = get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    properties.l2_bytes = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    size_t total = 0;
    checked(cu_.cuDeviceTotalMem(&total, device_), "the GPU's memory");
    properties.total_memory = total;
    answer(properties, reply);
}

template <>
Architecture::Result RealGpu::carry_out(const Architecture&, Payload, Reply&) {
    throw Refused{error::not_supported, "the first answer has told"};
}

} // namespace sim::cuda
