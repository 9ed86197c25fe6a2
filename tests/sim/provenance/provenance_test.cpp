// Which copies count: those whose bytes are read where they landed.
#include <doctest/doctest.h>

#include <cstring>

#include "sim/device/device.h"

using namespace sim::machine;

namespace {

constexpr uint32_t threads = 32, buffer_bytes = 4096;

/// `body` finds two buffers of 4 KiB in %rd1 (followed) and %rd2, their parts of this thread (16 bytes, behind those of
/// the threads before it) in %rd3 and %rd4, and its part of `tile` in %r3; there are 8 such parts for each, 512 bytes
/// apart.
sim::provenance::Flow flow_of(const std::string& body) {
    sim::Device device(Options{});
    auto& module = device.load(R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 other)
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<16>;
    .shared .align 128 .b8 tile[4096];
    .shared .align 8 .b8 barrier[16];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [other];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd5, %r1, 16;
    add.u64 %rd3, %rd1, %rd5;
    add.u64 %rd4, %rd2, %rd5;
    mov.u32 %r2, tile;
    mad.lo.u32 %r3, %r1, 16, %r2;
    mov.u32 %r4, barrier;
    setp.eq.u32 %p1, %r1, 0;
)" + body + "\nret;\n}\n");
    const uint64_t in = device.allocate(buffer_bytes), other = device.allocate(buffer_bytes);
    for (const uint64_t buffer : {in, other})
        device.write(buffer, std::vector<std::byte>(buffer_bytes), {}, "input");
    device.follow({{in, buffer_bytes}});
    const uint64_t parameters[] = {in, other};
    LaunchConfig config;
    config.block = {threads, 1, 1};
    config.grid = {1, 1, 1};
    const Outcome outcome = device.launch(device.kernel(module, "k"), config, std::as_bytes(std::span(parameters)), {});
    CHECK_MESSAGE(bool(outcome), outcome.message);
    return device.followed()->flow();
}

std::string copy(int part, const char* source = "%rd3", const char* size = "16") {
    const std::string offset = "+" + std::to_string(512 * part) + "]";
    return "cp.async.ca.shared.global [%r3" + offset + ", [" + source + offset + ", 16, " + size +
           "; cp.async.commit_group;";
}
std::string wait(int groups) {
    return "cp.async.wait_group " + std::to_string(groups) + ";";
}
std::string load(int part) {
    return "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3+" + std::to_string(512 * part) +
           "]; st.global.v4.u32 [%rd4+" + std::to_string(512 * part) + "], {%r10, %r11, %r12, %r13};";
}

} // namespace

TEST_CASE("a copy counts when its bytes are read, and once") {
    auto flow = flow_of(copy(0) + wait(0) + load(0) + load(0));
    CHECK(flow.copied == 512);
    CHECK(flow.used == 512);
    flow = flow_of(copy(0) + wait(0));
    CHECK(flow.copied == 512);
    CHECK(flow.used == 0);
}

TEST_CASE("what is overwritten before it is read is not used, by threads or by another copy") {
    CHECK(flow_of(copy(0) + wait(0) + "st.shared.u32 [%r3], 1;" + load(0)).used == 384);
    CHECK(flow_of(copy(0) + wait(0) + load(0) + "st.shared.u32 [%r3], 1;").used == 512);
    auto flow = flow_of(copy(0) + wait(0) + copy(0) + wait(0) + load(0));
    CHECK(flow.copied == 1024);
    CHECK(flow.used == 512);
    flow = flow_of(copy(0) + wait(0) + load(0) + copy(0) + wait(0) + load(0));
    CHECK(flow.used == 1024);
}

TEST_CASE("only copies from the buffers that are followed count") {
    CHECK(flow_of(copy(0, "%rd4") + wait(0) + load(0)).copied == 0);
    CHECK(flow_of(copy(0, "%rd3", "0") + wait(0) + load(0)).copied == 0); // and those that read something
    CHECK(flow_of(copy(0, "%rd3", "8") + wait(0) + load(0)).used == 256);
}

TEST_CASE("groups are in flight if what they bring is read later") {
    const std::string ahead = copy(0) + copy(1) + copy(2) + wait(2) + load(0);
    CHECK(flow_of(ahead + wait(0) + load(1) + load(2)).groups == 2);
    CHECK(flow_of(ahead + wait(0) + load(1)).groups == 1);
    CHECK(flow_of(ahead + wait(0)).groups == 0);
    CHECK(flow_of(copy(0) + wait(0) + load(0) + copy(1) + wait(0) + load(1)).groups == 0);
    CHECK(flow_of(copy(0) + wait(0) + copy(1) + load(0) + wait(0) + load(1)).groups == 1); // issued after the wait
    // Four bytes of each sixteen are no tile.
    const std::string dummy = "cp.async.ca.shared.global [%r3+512], [%rd3+512], 4; cp.async.commit_group;";
    CHECK(flow_of(copy(0) + dummy + wait(1) + load(0) + wait(0) + "ld.shared.u32 %r10, [%r3+512];").groups == 0);
}

TEST_CASE("stages are in flight from the copy's issue to the first wait that succeeds") {
    const auto bulk = [](int part) {
        const std::string at = std::to_string(512 * part), barrier = "[%r4+" + std::to_string(8 * (part % 2)) + "]";
        return "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, " + barrier +
               ", 512; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+" + at +
               "], [%rd1+" + at + "], 512, " + barrier + ";";
    };
    const auto waits = [](int part) {
        const std::string label = "W" + std::to_string(part);
        return label + ": mbarrier.try_wait.parity.shared.b64 %p2, [%r4+" + std::to_string(8 * (part % 2)) + "], " +
               std::to_string(part / 2 % 2) + "; @!%p2 bra " + label + ";";
    };
    const std::string begin = "@%p1 mbarrier.init.shared.b64 [%r4], 1; @%p1 mbarrier.init.shared.b64 [%r4+8], 1;"
                              "bar.sync 0;";
    auto flow = flow_of(begin + bulk(0) + bulk(1) + waits(0) + load(0) + waits(1) + load(1));
    CHECK(flow.stages == 2);
    CHECK(flow.used == 1024);
    flow = flow_of(begin + bulk(0) + waits(0) + load(0) + bulk(1) + waits(1) + load(1));
    CHECK(flow.stages == 1);
    CHECK(flow.used == 1024);
    flow = flow_of(begin + bulk(0) + bulk(1) + waits(0) + load(0) + waits(1)); // a decoy
    CHECK(flow.stages == 1);
    CHECK(flow.used == 512);
}
