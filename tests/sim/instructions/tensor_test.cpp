// Matrix instructions: what tests/sim/differential/tensor_cores.cu does not compare with a GPU.
#include <doctest/doctest.h>

#include "sim/instructions/tensor_numbers.h"
#include "snippet.h"

using u32 = uint32_t;

namespace tensor_test {

std::vector<In> numbered() {
    std::vector<In> inputs;
    for (u32 i = 0; i < 32; ++i)
        inputs.push_back({i, 0, 0, 0});
    return inputs;
}

/// 512 bytes of A, of B (the unit matrix) and 1 KiB of D in the scratch memory; lane l writes 2 l in row l / 2.
const std::string matrices = R"(
    mul.wide.u32 %rd30, %r40, 64; sub.u64 %rd30, %rd20, %rd30; mul.wide.u32 %rd31, %r40, 16; add.u64 %rd31, %rd30, %rd31;
    cvt.rn.f16.u32 %h5, %r1; mov.b32 %r5, {%h5, %h5};
    st.global.v4.u32 [%rd31], {%r5, %r5, %r5, %r5};
    mov.u32 %r6, 0; st.global.v4.u32 [%rd31+512], {%r6, %r6, %r6, %r6};
    bar.warp.sync -1;
    setp.ge.u32 %p5, %r1, 16; @%p5 bra UNIT;
    mul.wide.u32 %rd32, %r1, 34; add.u64 %rd32, %rd30, %rd32; mov.b16 %h6, 0x3c00; st.global.b16 [%rd32+512], %h6;
    UNIT: bar.warp.sync -1;
    add.u64 %rd33, %rd30, 512; add.u64 %rd34, %rd30, 1024;
)";

std::string product(const std::string& a_layout, const std::string& b_layout, const std::string& d_layout) {
    return matrices + "wmma.load.a.sync.aligned." + a_layout +
           ".m16n16k16.global.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd30], 16;"
           "wmma.load.b.sync.aligned." +
           b_layout +
           ".m16n16k16.global.f16 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [%rd33];"
           "mov.u32 %r9, 0; wmma.mma.sync.aligned." +
           a_layout + "." + b_layout +
           ".m16n16k16.f32.f32 {%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37}, "
           "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, "
           "{%r9, %r9, %r9, %r9, %r9, %r9, %r9, %r9}; wmma.store.d.sync.aligned." +
           d_layout +
           ".m16n16k16.global.f32 [%rd34], {%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37}, 16; bar.warp.sync -1;"
           "mul.wide.u32 %rd35, %r40, 32; add.u64 %rd35, %rd34, %rd35; ld.global.u32 %r10, [%rd35];";
}

TEST_CASE("wmma: loads, products and stores in both layouts") {
    const auto plain = execute(product("row", "row", "row"), numbered());
    const auto unit_by_column = execute(product("row", "col", "row"), numbered());
    const auto transposed = execute(product("col", "row", "row"), numbered());
    const auto back = execute(product("col", "col", "col"), numbered());
    for (u32 lane = 0; lane < 32; ++lane) {
        CHECK(plain[lane].narrow == bits(float(lane)));
        CHECK(unit_by_column[lane].narrow == bits(float(lane)));
        CHECK(transposed[lane].narrow == bits(float(16 * (lane % 2) + lane / 16)));
        CHECK(back[lane].narrow == bits(float(lane)));
    }
    CHECK(failure("wmma.mma.sync.aligned.row.col.m16n16k8.f32.u8.u8.f32 {%r5}, {%r5}, {%r5}, {%r5};")
              .find("there is no wmma of this shape") != std::string::npos);
}

TEST_CASE("sums that need no cutting are the same beside one that does") {
    using namespace sim::instructions::tensor;
    const Size size{64, 16, 16};
    const auto a = std::make_unique<Multiplicand>(), b = std::make_unique<Multiplicand>();
    std::vector<u32> alone(64 * 16), beside(64 * 16);
    for (const Element element : {Element::f16, Element::bf16, Element::e4m3})
        for (const Element sums : {Element::f32, Element::f16}) {
            CAPTURE(int(element));
            CAPTURE(int(sums));
            const u32 sign = 1u << (bits_of(element) - 1), one = element == Element::f16    ? 0x3c00
                                                                 : element == Element::bf16 ? 0x3f80
                                                                                            : 0x38;
            u32 random = 1;
            const auto number = [&] { // 0, 1 or 1.5 … with a sign; -0 too
                random = random * 1664525 + 1013904223;
                const u32 half = element == Element::f16 ? 0x200 : element == Element::bf16 ? 0x40 : 0x4;
                return (random >> 30 ? one + (random >> 29 & 1) * half : 0) | (random >> 28 & 1 ? sign : 0);
            };
            for (u32 i = 0; i < 64 * 16; ++i)
                a->bits[i] = number();
            for (u32 i = 0; i < 16 * 16; ++i)
                b->bits[i] = number();
            std::fill(alone.begin(), alone.end(), sums == Element::f16 ? 0x8000 : 0x80000000); // -0
            beside = alone;
            beside[63 * 16 + 15] = 1; // so small that it is cut off
            const auto multiply = [&](std::vector<u32>& d) {
                a->decode(element, 64, 16, Major::line);
                b->decode(element, 16, 16, Major::k);
                multiply_floats(sums, {16, 25}, size, *a, *b, d.data());
            };
            multiply(alone);
            multiply(beside);
            alone.back() = beside.back() = 0;
            CHECK(alone == beside);
        }
}

TEST_CASE("mma: all lanes take part, and only the manual's combinations exist") {
    const std::string mma = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11}, {%r5}, {%r6}, {%r7, %r8};";
    const auto out =
        execute("mov.u32 %r5, 0x01010101; mov.u32 %r6, 0xfefefefe; mov.u32 %r7, 5; mov.u32 %r8, 6;" + mma, numbered());
    for (const auto& lane : out) {
        CHECK(int(lane.narrow) == 5 - 32);
        CHECK(int(lane.second) == 6 - 32);
    }
    CHECK(failure(mma, {In{}}).find("needs all 32 lanes") != std::string::npos);
    CHECK(failure("mma.sync.aligned.m16n8k8.row.col.f32.e4m3.e4m3.f32 {%r5}, {%r5}, {%r5}, {%r5};")
              .find("there is no mma of this shape") != std::string::npos);
    CHECK(failure("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r5}, {%r5}, {%r5}, {%r5};")
              .find("where 4 are needed") != std::string::npos);
}

TEST_CASE("wgmma: a warpgroup takes part, and operands are what they must be") {
    const auto wgmma = [](const std::string& operands) {
        return failure("mov.u64 %rd5, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r5, %r6, %r7, %r8}, " +
                           operands + ";",
                       numbered());
    };
    CHECK(wgmma("%rd5, %rd5, 1, 1, 1, 0, 0").find("four warps of a warpgroup") != std::string::npos);
    CHECK(wgmma("%rd5, %rd5, 1, 2, 1, 0, 0").find("must be 1 or -1") != std::string::npos);
    CHECK(wgmma("%rd5, %rd5, 1, 1, 1, 0").find("8 are needed") != std::string::npos);
    CHECK(failure("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16 {%r5}, %rd5, %rd5, %r5, 0, 1, 1, 1, 0, 0;")
              .find("sparse matrices") != std::string::npos);
    CHECK(failure("wgmma.fence.sync.aligned; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
                  numbered()) == "");
}

} // namespace tensor_test
