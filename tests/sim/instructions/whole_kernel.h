// Runs a kernel of a few lines of PTX for a Blackwell target, with the hazard detector.
#pragma once

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "sim/async/tensor_map.h"
#include "sim/device/device.h"
#include "sim/rules/rule.h"

namespace whole_kernel {

using Completion = sim::machine::Schedule::Completion;

/// What a kernel gets beside its body: `in` is filled with 0, 1, 2 … (32 bits each), `out` with zeros. The map's
/// address is in units of bytes from `in`, or from `out` with `map_of_out`.
struct Setup {
    std::string target = "sm_100a";
    uint32_t grid = 1, block = 1, cluster = 1;
    sim::async::TensorMap map{};
    bool map_of_out = false;
    Completion completion = Completion::lazy;
    uint64_t seed = 1;
};

struct Result {
    std::string error;           ///< of the launch; empty: it ended well
    std::set<std::string> found; ///< names of the rules that report something
    std::vector<uint32_t> out;
};

inline constexpr uint32_t words = 1024; ///< of `in` and `out`

inline std::string text(const std::string& body, const std::string& target) {
    return ".version 8.8\n.target " + target + "\n.address_size 64\n" + R"(
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out)
{
    .reg .pred %p<8>;
    .reg .b16 %h<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<16>;
    .reg .b128 %q<4>;
    .shared .align 1024 .b8 tile[8192];
    .shared .align 16 .b8 response[16];
    .shared .align 8 .b8 bar[16];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    cvta.param.u64 %rd3, map;
)" + body + "\nret;\n}\n";
}

inline Result run(const std::string& body, const Setup& setup = {}) {
    sim::machine::Options options;
    options.schedule.completion = setup.completion;
    options.schedule.seed = setup.seed;
    sim::Device gpu(options);
    auto& module = gpu.load(text(body, setup.target));
    const uint64_t in = gpu.allocate(4 * words), out = gpu.allocate(4 * words);
    std::vector<uint32_t> numbers(words);
    for (uint32_t i = 0; i < words; ++i)
        numbers[i] = i;
    const auto put = [&](uint64_t address) {
        const std::byte* data = reinterpret_cast<const std::byte*>(numbers.data());
        (void)gpu.write(address, {data, data + 4 * words}, {}, "cudaMemcpy");
    };
    put(in);
    numbers.assign(words, 0);
    put(out);
    sim::async::TensorMap map = setup.map;
    map.address += setup.map_of_out ? out : in;
    std::vector<std::byte> parameters(144);
    const auto packed = map.pack();
    std::memcpy(parameters.data(), packed.data(), 128);
    std::memcpy(parameters.data() + 128, &in, 8);
    std::memcpy(parameters.data() + 136, &out, 8);
    sim::machine::LaunchConfig shape;
    shape.grid = {setup.grid, 1, 1};
    shape.block = {setup.block, 1, 1};
    shape.cluster = {setup.cluster, 1, 1};
    const auto outcome = gpu.launch(gpu.kernel(module, "k"), shape, parameters, {});
    Result result;
    result.error = outcome.message;
    for (const auto& finding : gpu.reporter().findings())
        result.found.insert(std::string(finding.rule->name));
    result.out.resize(words);
    std::memcpy(result.out.data(), gpu.peek(out, 4 * words).data(), 4 * words);
    return result;
}

/// A matrix of `width` times `height` words with boxes of box_x times box_y.
inline sim::async::TensorMap matrix(uint32_t width, uint32_t height, uint32_t box_x, uint32_t box_y) {
    sim::async::TensorMap map;
    map.rank = 2;
    map.type = sim::async::ElementType::u32;
    map.dim = {width, height, 1, 1, 1};
    map.stride[0] = 4 * width;
    map.box = {box_x, box_y, 1, 1, 1};
    return map;
}

const std::string wait = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra WAIT;";

/// An initialised mbarrier for one arrival, which announces `bytes`.
inline std::string expecting(const std::string& bytes) {
    return "mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;"
           "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " +
           bytes + ";";
}

/// Writes `count` words of `tile` to `out`, from word `first` on.
inline std::string write_out(const std::string& count, const std::string& first = "0") {
    return "mov.u32 %r20, 0; mov.u32 %r21, tile; mov.u32 %r24, " + first +
           "; mul.wide.u32 %rd10, %r24, 4; add.u64 %rd10, %rd10, %rd2;"
           "OUT: ld.shared.u32 %r22, [%r21]; st.global.u32 [%rd10], %r22; add.u32 %r21, %r21, 4;"
           "add.u64 %rd10, %rd10, 4; add.u32 %r20, %r20, 1; setp.lt.u32 %p7, %r20, " +
           count + "; @%p7 bra OUT;";
}

} // namespace whole_kernel
