// The device service: commands do what they say, and nothing that a program sends can harm it.
#include <cstring>
#include <random>
#include <thread>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake_gpu.h"
#include "sim/cuda/device/server.h"
#include "sim/cuda/device/service.h"
#include "sim/cuda/program/backend.h"
#include "sim/cuda/wire/error_code.h"
#include "sim/cuda/wire/socket.h"
#include "sim/report/finding.h"
#include "sim/rules/rule.h"

using namespace sim::cuda;

namespace {

constexpr char ptx[] = R"(
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 counter;
.visible .entry add_one(.param .u64 p, .param .u32 n) { ret; }
)";

struct Direct : Backend {
    Service service;
    explicit Direct(sim::machine::Options options = {}) : service(std::move(options)) {}
    Reply transact(const Header& header, const void* body, std::span<const std::byte> payload) override {
        return service.handle(header, {static_cast<const std::byte*>(body), header.body_bytes}, payload);
    }
    int shared_memory() const override { return service.shared().fd(); }
    std::byte* host(uint64_t address) { return service.shared().at(address, 1); }
    Reply wait_all() { return call(Wait{Target::device, 0, 0}); }
};

Copy row_copy(uint64_t stream, uint64_t to, uint64_t from, uint64_t bytes) {
    return {stream, to, from, bytes, 1, 1, 0, 0, 0, 0, 0, 0};
}

uint64_t load(Direct& device) {
    std::memcpy(device.host(host_base), ptx, sizeof ptx);
    const auto loaded = device.call(LoadModule{host_base, sizeof ptx - 1});
    REQUIRE(loaded.error == 0);
    return loaded.result.module;
}

} // namespace

TEST_CASE("a module of gigabytes is refused before it is read") {
    Direct device;
    CHECK(device.call(LoadModule{host_base, host_bytes}).error == error::invalid_value);
    load(device);
}

TEST_CASE("pinned memory is read when the copy runs, not when it is issued") {
    Direct device;
    const uint64_t memory = device.call(Allocate{4096}).result.address;
    REQUIRE(device.call(MapHost{host_base, host_base, 4096, 0}).error == 0);
    *device.host(host_base) = std::byte{1};
    REQUIRE(device.call(row_copy(legacy_stream, memory, host_base, 4096)).error == 0);
    *device.host(host_base) = std::byte{2};
    device.wait_all();
    CHECK(device.service.gpu().peek(memory, 1)[0] == std::byte{2});
}

TEST_CASE("a watched copy is released when the host is ordered after it, not when it runs") {
    Direct device;
    const uint64_t memory = device.call(Allocate{4096}).result.address;
    device.call(MapHost{host_base, host_base, 4096, 0});
    Copy copy = row_copy(legacy_stream, host_base, memory, 64);
    copy.watch = 1;
    const uint64_t ticket = device.call(copy).result.ticket;
    CHECK(device.call(Wait{Target::device, 1, 0}).released.empty()); // in the background
    CHECK(device.wait_all().released == std::vector<uint64_t>{ticket});
}

TEST_CASE("polling an event makes progress until it is complete") {
    Direct device;
    const uint64_t memory = device.call(Allocate{4096}).result.address;
    const uint64_t event = device.call(CreateEvent{1, 0}).result.event;
    for (int i = 0; i < 3; ++i)
        device.call(Fill{legacy_stream, memory, 4096, 1, 0, 0, 1});
    device.call(RecordEvent{event, legacy_stream});
    int polls = 0;
    while (!device.call(Query{Target::event, 0, event}).result.complete)
        REQUIRE(++polls < 20);
    CHECK(polls >= 3);
}

TEST_CASE("a kernel gets its parameters and its order") {
    Direct device;
    const uint64_t module = load(device);
    const auto kernel = device.call(FindKernel{module}, std::string_view("add_one"));
    REQUIRE(kernel.error == 0);
    CHECK(kernel.result.parameter_bytes == 12);
    uint32_t seen = 0;
    fake::define_kernel("add_one", [&](auto&, const auto&, std::span<const std::byte> parameters) {
        std::memcpy(&seen, parameters.data() + 8, 4);
        return sim::machine::Outcome{};
    });
    std::byte parameters[12] = {};
    parameters[8] = std::byte{7};
    Launch launch{legacy_stream, kernel.result.kernel, {1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0, 0, 0, 0, 0};
    CHECK(device.call(launch, std::span<const std::byte>(parameters)).error == 0);
    CHECK(seen == 0);
    device.wait_all();
    CHECK(seen == 7);
    fake::define_kernel("add_one", [](auto&, const auto&, auto) { return sim::machine::Outcome{}; });

    launch.block[0] = 2048;
    CHECK(device.call(launch, std::span<const std::byte>(parameters)).error == error::invalid_value);
    launch.block[0] = 32;
    launch.dynamic_shared = 100000;
    CHECK(device.call(launch, std::span<const std::byte>(parameters)).error == error::invalid_value);
    launch.max_shared = 100000;
    CHECK(device.call(launch, std::span<const std::byte>(parameters)).error == 0);
    CHECK(device.call(launch, std::span<const std::byte>(parameters, 4)).error == error::invalid_value);
}

TEST_CASE("a fault is sticky") {
    Direct device;
    const uint64_t module = load(device);
    const uint64_t kernel = device.call(FindKernel{module}, std::string_view("add_one")).result.kernel;
    fake::define_kernel("add_one", [](auto&, const auto&, auto) {
        return sim::machine::Outcome{sim::machine::Fault::illegal_address, "at line 3"};
    });
    const std::byte parameters[12] = {};
    device.call(Launch{legacy_stream, kernel, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, 0, 0, 0, 0},
                std::span<const std::byte>(parameters));
    const Reply reply = device.wait_all();
    CHECK(reply.sticky == error::illegal_address);
    CHECK(reply.message == "at line 3");
    CHECK(device.call(MemoryInfo{}).error == error::illegal_address);
    fake::define_kernel("add_one", [](auto&, const auto&, auto) { return sim::machine::Outcome{}; });
}

TEST_CASE("addresses, sizes and handles that do not exist are refused") {
    Direct device;
    const uint64_t memory = device.call(Allocate{4096}).result.address;
    device.call(MapHost{host_base, host_base, 4096, 0});
    CHECK(device.call(row_copy(legacy_stream, memory, host_base, 4097)).error == error::invalid_value);
    CHECK(device.call(row_copy(legacy_stream, memory + 4096, host_base, 1)).error == error::invalid_value);
    CHECK(device.call(row_copy(legacy_stream, 0, host_base, 1)).error == error::invalid_value);
    CHECK(device.call(row_copy(77, memory, host_base, 1)).error == error::invalid_resource_handle);
    CHECK(device.call(MapHost{host_base + 4095, host_base + 4095, 1, 0}).error == error::invalid_value); // twice
    CHECK(device.call(MapHost{host_base + host_bytes, host_base + host_bytes, 1, 0}).error == error::invalid_value);
    CHECK(device.call(MapHost{device_base, host_base, 1, 0}).error == error::invalid_value);
    Copy staged = row_copy(legacy_stream, memory, host_base + host_bytes - 1, 2);
    staged.staged = 1;
    CHECK(device.call(staged).error == error::invalid_value);
    CHECK(device.call(LoadModule{host_base + 1, ~uint64_t{0}}).error == error::invalid_value);
    CHECK(device.call(Allocate{~uint64_t{0}}).error == error::memory_allocation);
    CHECK(device.call(Release{host_base}).error == error::invalid_value);
    Copy box = row_copy(legacy_stream, memory, host_base, 16);
    box.height = ~uint64_t{0};
    box.destination_pitch = box.source_pitch = ~uint64_t{0};
    CHECK(device.call(box).error == error::invalid_value);
}

TEST_CASE("the program's own findings reach the reporter, made harmless") {
    Direct device;
    const std::string payload = std::string("kernel.cu\0reads\x1b[31m\0kernel.cu\0copy\0why\0", 40);
    CHECK(device.call(Report{sim::events::HostMisuse::read_before_sync, 12, 10, 0}, std::string_view(payload)).error ==
          0);
    const auto& findings = device.service.gpu().reporter().findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].rule->name == "host-read-before-sync");
    CHECK(findings[0].severity == sim::hazards::Severity::error);
    CHECK(findings[0].first.line == 12);
    CHECK(findings[0].first.action == "reads [31m");
    CHECK(findings[0].others.at(0).line == 10);
    CHECK(findings[0].message == "why");
    CHECK(device.call(Report{sim::events::HostMisuse::count, 0, 0, 0}).error == error::invalid_value);
}

TEST_CASE("every command of a wrong size and every number that no command has is refused") {
    Direct device;
    const std::vector<std::byte> bytes(max_body);
    for (uint32_t number = 0; number < Commands::count; ++number)
        for (const uint32_t size : {0u, 4u, max_body}) {
            const Reply reply =
                device.service.handle({static_cast<Command>(number), size, 0}, {bytes.data(), size}, {});
            CHECK(reply.error == error::invalid_value);
            CHECK(reply.message == "a command has the wrong size");
        }
    for (const uint32_t number : {Commands::count, Commands::count + 1, ~uint32_t{0}})
        CHECK(device.service.handle({static_cast<Command>(number), 0, 0}, {}, {}).message == "unknown command");
}

TEST_CASE("random requests never end the service") {
    Direct device;
    load(device);
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        Header header{static_cast<Command>(random() % (Commands::count + 2)), 0, 0};
        static constexpr uint64_t likely[] = {
            0,     1,          100, 101, 102, 4096, host_base, host_base + 8, device_base, device_base + 0x2000000,
            ~0ull, 1ull << 40, 12,  32};
        std::byte body[max_body];
        for (size_t at = 0; at < sizeof body; at += 8) {
            const uint64_t value = random() % 4 ? likely[random() % std::size(likely)] : random();
            std::memcpy(body + at, &value, 8);
        }
        // Mostly the size that the command has: found by trying all multiples of 8.
        header.body_bytes = static_cast<uint32_t>(random() % 14 * 8);
        std::byte payload[16] = {};
        header.payload_bytes = random() % 2 ? 12 : 0;
        device.service.handle(header, {body, header.body_bytes}, {payload, header.payload_bytes});
    }
    device.service.drain();
}

TEST_CASE("the service answers over a socket, with the memory shared") {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    Service service({});
    Served served = Served::violation;
    std::thread server([&] { served = serve(service, ends[0]); });
    {
        const auto backend = socket_backend(ends[1]); // closes its end when it goes
        CHECK(backend->call(Hello{}).payload.size() == sizeof(sim::machine::Properties));
        const uint64_t memory = backend->call(Allocate{64}).result.address;
        CHECK(memory != 0);
        const char text[] = "written by the program";
        REQUIRE(pwrite(backend->shared_memory(), text, sizeof text, 0) == sizeof text);
        Copy copy = row_copy(legacy_stream, memory, host_base, sizeof text);
        copy.staged = 1;
        CHECK(backend->call(copy).error == 0);
        CHECK(backend->call(Wait{Target::device, 0, 0}).error == 0);
        CHECK(std::memcmp(service.gpu().peek(memory, sizeof text).data(), text, sizeof text) == 0);
        CHECK(ftruncate(backend->shared_memory(), 0) != 0); // the program cannot pull the memory away
    }
    server.join();
    CHECK(served == Served::closed);
    close(ends[0]);
}

TEST_CASE("a reply travels whole, and one that announces too much is not read") {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    Reply reply;
    reply.error = 1;
    reply.sticky = 2;
    reply.set(FindKernel::Result{3, 4, 5, 6, 7, 8});
    reply.released = {9, 10};
    reply.output = "printed";
    reply.message = "why";
    reply.payload = std::string("a\0b", 3);
    REQUIRE(wire::send(ends[0], reply));
    const auto got = wire::receive_reply(ends[1]);
    REQUIRE(got);
    CHECK(got->error == 1);
    CHECK(got->sticky == 2);
    CHECK(Answer<FindKernel>(*got).result.max_threads == 8);
    CHECK(got->released == reply.released);
    CHECK(got->output == reply.output);
    CHECK(got->message == reply.message);
    CHECK(got->payload == reply.payload);
    const std::vector<std::byte> all_ones(256, std::byte{0xFF});
    REQUIRE(wire::send_all(ends[0], all_ones));
    CHECK_FALSE(wire::receive_reply(ends[1]));
    for (const int fd : ends)
        close(fd);
}

TEST_CASE("a connection that breaks the protocol is dropped") {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    Service service({});
    Served served = Served::closed;
    std::thread server([&] { served = serve(service, ends[0]); });
    const int shared = wire::receive_descriptor(ends[1]);
    CHECK(shared >= 0);
    const Header huge{command_of<Allocate>, 0xFFFFFFFF, 0xFFFFFFFF};
    REQUIRE(write(ends[1], &huge, sizeof huge) == sizeof huge);
    server.join();
    CHECK(served == Served::violation);
    for (const int fd : {ends[0], ends[1], shared})
        close(fd);
}
