// The real GPU's device side, with a stand-in for NVIDIA's driver: commands do what they say, and nothing that a
// program sends can harm the checker.
#include <cstring>
#include <random>

#include <doctest/doctest.h>

#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/program/backend.h"
#include "sim/machine/gpu.h"

using namespace sim::cuda;

namespace {

constexpr char ptx[] = ".version 9.0";

struct Direct : Backend {
    RealGpu gpu{{}};
    Reply transact(const Header& header, const void* body, Payload payload) override {
        return gpu.handle(header, {static_cast<const std::byte*>(body), header.body_bytes}, payload);
    }
    int shared_memory() const override { return gpu.shared().fd(); }
    std::byte* host(uint64_t address) { return gpu.shared().at(address, 1); }
    uint64_t load() {
        std::memcpy(host(host_base), ptx, sizeof ptx);
        return call(LoadModule{host_base, sizeof ptx - 1}).result.module;
    }
};

Copy row_copy(uint64_t stream, uint64_t to, uint64_t from, uint64_t bytes) {
    return {stream, to, from, bytes, 1, 1, 0, 0, 0, 0, 1, 0};
}

} // namespace

TEST_CASE("the program learns the GPU's properties") {
    Direct device;
    const auto answer = device.call(Hello{});
    sim::machine::Properties properties;
    REQUIRE(answer.payload.size() == sizeof properties);
    answer.payload.copy(reinterpret_cast<char*>(&properties), sizeof properties);
    CHECK(properties.sm == 704);
    CHECK(properties.sm_count == 64);
    CHECK(properties.memory_clock == 64);
    CHECK(properties.memory_bus == 64);
    CHECK(properties.l2_bytes == 64);
}

TEST_CASE("copies and sets reach the GPU's memory, and staging memory is released") {
    Direct device;
    const uint64_t memory = device.call(Allocate{4096}).result.address;
    REQUIRE(memory >= device_base);
    CHECK(device.call(Fill{legacy_stream, memory, 1024, 1, 0, 0x01020304, 4}).error == 0);
    CHECK_FALSE(device.gpu.written_by_kernel(memory, 4));
    *device.host(host_base) = std::byte{7};
    Copy copy = row_copy(legacy_stream, memory, host_base, 1);
    copy.watch = 2;
    const auto copied = device.call(copy);
    CHECK(copied.error == 0);
    CHECK(copied.released == std::vector<uint64_t>{copied.result.ticket});
    std::byte back[4];
    CHECK(device.gpu.read(back, memory) == CUDA_SUCCESS);
    CHECK(back[0] == std::byte{7});
    CHECK(back[3] == std::byte{1});
    CHECK(device.call(Release{memory}).error == 0);
    CHECK(device.call(Release{memory}).error == error::invalid_value);
}

TEST_CASE("a kernel is found and launched") {
    Direct device;
    const uint64_t module = device.load();
    const auto kernel = device.call(FindKernel{module}, std::string_view("add_one"));
    REQUIRE(kernel.error == 0);
    CHECK(kernel.result.parameter_bytes == 12);
    CHECK(kernel.result.max_threads == 1024);
    CHECK(kernel.payload.size() == 7 * sizeof(uint32_t));
    CHECK(device.call(FindKernel{module}, std::string_view("other")).error == error::symbol_not_found);
    CHECK(device.call(FindVariable{module}, std::string_view("counter")).result.bytes == 4);
    const std::byte parameters[12] = {};
    const Launch launch{legacy_stream, kernel.result.kernel, {1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0, 0, 0, 0, 0};
    CHECK(device.call(launch, Payload(parameters)).error == 0);
    CHECK(device.call(launch, Payload(parameters, 4)).error == error::invalid_value);
    CHECK(device.call(UnloadModule{module}).error == 0);
    CHECK(device.call(launch, Payload(parameters)).error == error::invalid_resource_handle);
}

TEST_CASE("a wait hands out a host call once, and ends when it was made") {
    Direct device;
    REQUIRE(device.call(HostCall{legacy_stream, 5}).error == 0);
    const auto first = device.call(Wait{Target::device, 0, 0}).result;
    CHECK(first.state == Wait::State::host_call);
    CHECK(first.token == 5);
    CHECK(device.call(Wait{Target::device, 0, 0}).result.state == Wait::State::ask_again);
    const auto polled = device.call(Query{Target::stream, 0, legacy_stream}).result;
    CHECK(polled.complete == 0);
    CHECK(polled.host_call == 0);
    CHECK(device.call(HostCallDone{5}).error == 0);
    // The driver's thread may need a moment to learn of it: until then the program has to ask again.
    auto state = Wait::State::ask_again;
    for (int i = 0; i < 10000 && state == Wait::State::ask_again; ++i)
        state = device.call(Wait{Target::device, 0, 0}).result.state;
    CHECK(state == Wait::State::complete);
}

TEST_CASE("every command of a wrong size and every number that no command has is refused") {
    Direct device;
    const std::vector<std::byte> bytes(max_body);
    for (uint32_t number = 0; number < Commands::count; ++number)
        for (const uint32_t size : {0u, 4u, max_body})
            CHECK(device.gpu.handle({static_cast<Command>(number), size, 0}, {bytes.data(), size}, {}).message ==
                  "a command has the wrong size");
    CHECK(device.gpu.handle({static_cast<Command>(Commands::count), 0, 0}, {}, {}).message == "unknown command");
}

TEST_CASE("random requests never end the checker") {
    Direct device;
    device.load();
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        Header header{static_cast<Command>(random() % (Commands::count + 2)), 0, 0};
        if (header.command == command_of<HostCall>) // this test never makes one
            continue;
        static constexpr uint64_t likely[] = {
            0,     1,          100, 101, 102, 4096, host_base, host_base + 8, device_base, device_base + 0x400000,
            ~0ull, 1ull << 40, 12,  32};
        std::byte body[max_body];
        for (size_t at = 0; at < sizeof body; at += 8) {
            const uint64_t value = random() % 4 ? likely[random() % std::size(likely)] : random();
            std::memcpy(body + at, &value, 8);
        }
        header.body_bytes = static_cast<uint32_t>(random() % 26 * 8);
        std::byte payload[128] = {};
        header.payload_bytes = random() % 2 ? 12 : 128;
        device.gpu.handle(header, {body, header.body_bytes}, {payload, header.payload_bytes});
    }
    device.gpu.drain();
}
