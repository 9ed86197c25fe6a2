// A kernel's steps, and what was found in it.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/device/device.h"
#include "sim/report/json.h"
#include "sim/stepper/json.h"
#include "sim/stepper/recorder.h"

using namespace sim::stepper;
using namespace sim::machine;
using Kind = Step::Kind;

struct Recorded {
    Recording recording;
    std::vector<sim::hazards::Finding> findings;
    Outcome outcome;

    std::vector<const Step*> of(Kind kind) const {
        std::vector<const Step*> all;
        for (const Step& step : recording.steps)
            if (step.kind == kind)
                all.push_back(&step);
        return all;
    }
    const Step& only(Kind kind, size_t number = 0) const {
        const auto all = of(kind);
        REQUIRE(number < all.size());
        return *all[number];
    }
    std::string kinds() const {
        std::string text;
        for (const Step& step : recording.steps)
            text += fmt::format("{}{}{}", text.empty() ? "" : " ", sim::stepper::kinds[size_t(step.kind)],
                                step.warp == none ? "" : fmt::format(":{}", step.warp));
        return text;
    }
};

/// `body` finds the buffer in %rd1, %tid.x in %r1, and the own word of `tile` in %r2.
inline Recorded record(const std::string& body, const RecorderOptions& options = {}, uint32_t blocks = 1,
                       uint32_t threads = 64, const std::string& target = "sm_90a", const std::string& after = {}) {
    const std::string text = ".version 8.6\n.target " + target + R"(
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<16>;
    .shared .align 16 .b8 tile[512];
    .shared .align 8 .b8 full[8];
    .shared .align 128 .b8 map[128];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    mov.u32 %r3, tile;
    mad.lo.u32 %r2, %r1, 4, %r3;
    xor.b32 %r6, %r1, 32;
    mad.lo.u32 %r6, %r6, 4, %r3;
)" + body + "\n    ret;\n}\n" +
                             after;
    Recorded made;
    Options device;
    device.listener = recorder(made.recording, options);
    sim::Device gpu(device);
    constexpr uint64_t bytes = 4096;
    const uint64_t out = gpu.allocate(bytes);
    std::vector<std::byte> zeros(bytes), parameters(sizeof out);
    gpu.write(out, zeros, {}, "cudaMemcpy");
    std::memcpy(parameters.data(), &out, sizeof out);
    LaunchConfig config;
    config.grid.x = blocks;
    config.block.x = threads;
    made.outcome = gpu.launch(gpu.kernel(gpu.load(text), "k"), config, parameters, {});
    made.findings = sim::hazards::reported(gpu.reporter());
    return made;
}
