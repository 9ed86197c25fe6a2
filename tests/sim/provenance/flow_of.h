// What becomes of the bytes that copies bring, in a small kernel.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "sim/device/device.h"

namespace provenance_tests {

using namespace sim::machine;

constexpr uint32_t threads = 32, buffer_bytes = 4096;

/// `body` finds two buffers of 4 KiB in %rd1 (followed) and %rd2, their parts of this thread (16 bytes, behind those of
/// the threads before it) in %rd3 and %rd4, and its part of `tile` in %r3; there are 8 such parts for each, 512 bytes
/// apart. With `results`, the second buffer's bytes are followed to where they come from.
inline sim::provenance::Flow flow_of(const std::string& body, bool results = false, uint32_t block = threads) {
    const bool blackwell = body.find("tcgen05") != body.npos;
    Options options;
    if (blackwell)
        options.properties = properties_of(100);
    sim::Device device(options);
    auto& module = device.load(std::string(".version 8.6\n.target ") + (blackwell ? "sm_100a" : "sm_90a") + R"(
.address_size 64
.func (.param .b32 out) increased(.param .b32 value)
{
    .reg .b32 %r<2>;
    ld.param.u32 %r1, [value];
    add.u32 %r1, %r1, 1;
    st.param.b32 [out], %r1;
    ret;
}
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
    sim::provenance::Followed followed{{{in, buffer_bytes}}, {}};
    if (results)
        followed.results.push_back({other, buffer_bytes});
    device.follow(std::move(followed));
    const uint64_t parameters[] = {in, other};
    LaunchConfig config;
    config.block = {block, 1, 1};
    config.grid = {1, 1, 1};
    const Outcome outcome = device.launch(device.kernel(module, "k"), config, std::as_bytes(std::span(parameters)), {});
    CHECK_MESSAGE(bool(outcome), outcome.message);
    return device.followed()->flow();
}

inline std::string copy(int part, const char* source = "%rd3", const char* size = "16") {
    const std::string offset = "+" + std::to_string(512 * part) + "]";
    return "cp.async.ca.shared.global [%r3" + offset + ", [" + source + offset + ", 16, " + size +
           "; cp.async.commit_group;";
}
inline std::string wait(int groups) {
    return "cp.async.wait_group " + std::to_string(groups) + ";";
}
inline std::string load(int part) {
    return "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3+" + std::to_string(512 * part) +
           "]; st.global.v4.u32 [%rd4+" + std::to_string(512 * part) + "], {%r10, %r11, %r12, %r13};";
}

} // namespace provenance_tests
