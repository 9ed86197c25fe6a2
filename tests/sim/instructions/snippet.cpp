#include "snippet.h"

#include <cstring>
#include <stdexcept>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/device/device.h"

using namespace sim::machine;

namespace {

std::string output, target = "sm_90a";
Statistics last_statistics;

constexpr uint64_t in_bytes = 32, out_bytes = 32, scratch_bytes = 64;

std::string kernel_text(const std::string& body, const std::string& declarations) {
    return ".version 8.8\n.target " + target + "\n.address_size 64\n" + declarations + R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 scratch, .param .u32 count)
{
    .reg .pred %p<16>;
    .reg .b16 %h<32>;
    .reg .b32 %r<64>;
    .reg .b64 %rd<64>;
    .reg .b128 %q<8>;
    .shared .align 128 .b8 shared[1024];
    mov.u32 %r40, %tid.x;
    mov.u32 %r41, %ctaid.x;
    mov.u32 %r42, %ntid.x;
    mad.lo.u32 %r43, %r41, %r42, %r40;
    ld.param.u32 %r44, [count];
    setp.ge.u32 %p15, %r43, %r44;
    @%p15 bra DONE;
    ld.param.u64 %rd40, [in];
    mul.wide.u32 %rd41, %r43, 32;
    add.u64 %rd40, %rd40, %rd41;
    ld.param.u64 %rd20, [scratch];
    mul.wide.u32 %rd42, %r43, 64;
    add.u64 %rd20, %rd20, %rd42;
    ld.global.u64 %rd1, [%rd40];
    ld.global.u64 %rd2, [%rd40+8];
    ld.global.u64 %rd3, [%rd40+16];
    ld.global.u64 %rd4, [%rd40+24];
    ld.global.u32 %r1, [%rd40];
    ld.global.u32 %r2, [%rd40+8];
    ld.global.u32 %r3, [%rd40+16];
    ld.global.u32 %r4, [%rd40+24];
    ld.global.u16 %h1, [%rd40];
    ld.global.u16 %h2, [%rd40+8];
    ld.global.u16 %h3, [%rd40+16];
    ld.global.u16 %h4, [%rd40+24];
    and.b32 %r45, %r1, 1;
    setp.ne.u32 %p1, %r45, 0;
    and.b32 %r45, %r2, 1;
    setp.ne.u32 %p2, %r45, 0;
    and.b32 %r45, %r3, 1;
    setp.ne.u32 %p3, %r45, 0;
    and.b32 %r45, %r4, 1;
    setp.ne.u32 %p4, %r45, 0;
)" + body + R"(
    ld.param.u64 %rd40, [out];
    mul.wide.u32 %rd41, %r43, 32;
    add.u64 %rd40, %rd40, %rd41;
    st.global.u64 [%rd40], %rd10;
    st.global.u32 [%rd40+8], %r10;
    st.global.u32 [%rd40+12], %r11;
    st.global.u16 [%rd40+16], %h10;
    selp.u32 %r45, 1, 0, %p10;
    st.global.u32 [%rd40+20], %r45;
    selp.u32 %r45, 1, 0, %p11;
    st.global.u32 [%rd40+24], %r45;
DONE:
    ret;
}
)";
}

Outcome attempt(const std::string& body, const std::vector<In>& inputs, const std::string& declarations, uint32_t block,
                const LaunchConfig& shape, std::vector<Out>& results) {
    Options options;
    options.detect = false;
    options.max_instructions = 50'000'000;
    output.clear();
    options.output = [](std::string_view text) { output += text; };
    sim::Device gpu(options);
    LoadedModule& module = gpu.load(kernel_text(body, declarations));
    const Kernel kernel = gpu.kernel(module, "k");
    const auto count = uint32_t(inputs.size());
    const uint64_t in = gpu.allocate(count * in_bytes), out = gpu.allocate(count * out_bytes),
                   scratch = gpu.allocate(count * scratch_bytes);
    std::memcpy(gpu.peek(in, count * in_bytes).data(), inputs.data(), count * in_bytes);
    std::memset(gpu.peek(scratch, count * scratch_bytes).data(), 0, count * scratch_bytes);
    struct {
        uint64_t in, out, scratch;
        uint32_t count;
    } parameters{in, out, scratch, count};
    std::vector<std::byte> packed(28);
    std::memcpy(packed.data(), &parameters, packed.size());
    LaunchConfig config = shape;
    config.block = {block, 1, 1};
    config.grid = {(count + block - 1) / block, 1, 1};
    const Outcome outcome = gpu.launch(kernel, config, packed, {});
    last_statistics = gpu.statistics();
    const auto bytes = gpu.peek(out, count * out_bytes);
    for (uint32_t i = 0; i < count && outcome; ++i) {
        const std::byte* at = bytes.data() + i * out_bytes;
        Out result;
        uint32_t p, q;
        std::memcpy(&result.wide, at, 8);
        std::memcpy(&result.narrow, at + 8, 4);
        std::memcpy(&result.second, at + 12, 4);
        std::memcpy(&result.half, at + 16, 2);
        std::memcpy(&p, at + 20, 4);
        std::memcpy(&q, at + 24, 4);
        result.p = p;
        result.q = q;
        results.push_back(result);
    }
    return outcome;
}

template <class T, class Get>
void check(const std::string& body, const std::vector<In>& inputs, const std::function<T(const In&)>& expected,
           Get get) {
    const auto results = execute(body, inputs);
    size_t wrong = 0;
    for (size_t i = 0; i < inputs.size() && wrong < 3; ++i) {
        const T want = expected(inputs[i]), have = get(results[i]);
        if (want == have)
            continue;
        ++wrong;
        FAIL_CHECK(fmt::format("{}\n  a = {:#x}, b = {:#x}, c = {:#x}, e = {:#x}: {:#x} where {:#x} is right", body,
                               inputs[i].a, inputs[i].b, inputs[i].c, inputs[i].e, uint64_t(have), uint64_t(want)));
    }
    CHECK(wrong == 0);
}

} // namespace

std::vector<Out> execute(const std::string& body, const std::vector<In>& inputs, const std::string& declarations,
                         uint32_t block, const LaunchConfig& shape) {
    std::vector<Out> results;
    const Outcome outcome = attempt(body, inputs, declarations, block, shape, results);
    if (!outcome)
        throw std::runtime_error(body + ": " + outcome.message);
    return results;
}

std::string failure(const std::string& body, const std::vector<In>& inputs, const std::string& declarations) {
    std::vector<Out> results;
    const Outcome outcome = attempt(body, inputs, declarations, 32, {}, results);
    return outcome ? std::string() : outcome.message;
}

Target::Target(const char* name) {
    target = name;
}

Target::~Target() {
    target = "sm_90a";
}

const std::string& printed() {
    return output;
}
const Statistics& statistics() {
    return last_statistics;
}

void check32(const std::string& body, const std::vector<In>& inputs,
             const std::function<uint32_t(const In&)>& expected) {
    check<uint32_t>(body, inputs, expected, [](const Out& out) { return out.narrow; });
}
void check64(const std::string& body, const std::vector<In>& inputs,
             const std::function<uint64_t(const In&)>& expected) {
    check<uint64_t>(body, inputs, expected, [](const Out& out) { return out.wide; });
}
void check16(const std::string& body, const std::vector<In>& inputs,
             const std::function<uint16_t(const In&)>& expected) {
    check<uint16_t>(body, inputs, expected, [](const Out& out) { return out.half; });
}
void check_predicate(const std::string& body, const std::vector<In>& inputs,
                     const std::function<bool(const In&)>& expected) {
    check<uint32_t>(
        body, inputs, [&](const In& in) { return uint32_t(expected(in)); },
        [](const Out& out) { return uint32_t(out.p); });
}

const std::vector<uint32_t>& integers32() {
    static const std::vector<uint32_t> values = {0,          1,          2,          3,          5,          31,
                                                 32,         33,         255,        0x7fff,     0x8000,     0xffff,
                                                 0x10000,    0xffffff,   0x1000000,  0x12345678, 0x7ffffffe, 0x7fffffff,
                                                 0x80000000, 0x80000001, 0xdeadbeef, 0xfffffffe, 0xffffffff};
    return values;
}

const std::vector<uint64_t>& integers64() {
    static const std::vector<uint64_t> values = {0,
                                                 1,
                                                 2,
                                                 63,
                                                 64,
                                                 65,
                                                 0x7fffffff,
                                                 0x80000000,
                                                 0xffffffff,
                                                 0x100000000,
                                                 0x123456789abcdef0,
                                                 0x7fffffffffffffff,
                                                 0x8000000000000000,
                                                 0x8000000000000001,
                                                 0xdeadbeefcafef00d,
                                                 0xfffffffffffffffe,
                                                 0xffffffffffffffff};
    return values;
}

const std::vector<uint32_t>& floats32() {
    static const std::vector<uint32_t> values = {
        0x00000000, 0x80000000,                                                  // zeros
        0x00000001, 0x80000001,  0x007fffff, 0x807fffff, 0x00800000, 0x80800000, // subnormals, smallest normals
        bits(1.0f), bits(-1.0f), bits(0.5f), bits(1.5f), bits(2.5f), bits(-2.5f), bits(3.0f), 0x3f800001,
        0x33800000, 0x4b000001,  0x4f000000, 0xcf000000, 0x4f800000, // 2^23+1, 2^31, -2^31, 2^32
        0x7f7fffff, 0xff7fffff,  0x7f000000, 0x7f800000, 0xff800000, 0x7fc00000,  0xffc12345, 0x7f800001};
    return values;
}

const std::vector<uint64_t>& floats64() {
    static const std::vector<uint64_t> values = {0,
                                                 1ull << 63,
                                                 1,
                                                 0x800fffffffffffff,
                                                 0x0010000000000000,
                                                 bits(1.0),
                                                 bits(-1.0),
                                                 bits(0.1),
                                                 bits(1.5),
                                                 bits(-2.5),
                                                 bits(4503599627370497.5),
                                                 bits(0x1p31),
                                                 bits(0x1.fffffffffffffp1023),
                                                 0x3ff0000000000001,
                                                 0x7ff0000000000000,
                                                 0xfff0000000000000,
                                                 0x7ff8000000000000};
    return values;
}

const std::vector<uint16_t>& halves(bool brain) {
    static const std::vector<uint16_t> f16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00,
                                              0x3c01, 0x3800, 0x4100, 0xc100, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                              0x7e00, 0xfd01, 0x1400, 0x6800, 0x2e66, 0x57b1};
    static const std::vector<uint16_t> bf16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x3f80, 0xbf80,
                                               0x3f81, 0x3f00, 0x4020, 0xc020, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
                                               0x7fc0, 0xffa1, 0x3380, 0x4b00, 0x3dcd, 0x42f6};
    return brain ? bf16 : f16;
}
