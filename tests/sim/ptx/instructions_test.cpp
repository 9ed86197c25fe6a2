#include "helpers.h"

#include <doctest/doctest.h>

#include <bit>

using namespace sim::ptx;

namespace {

const Operand& operand(const Module& module, size_t instruction, size_t index) {
    return module.function("k")->body().at(instruction).operands.at(index);
}

std::string register_name(const Module& module, const Operand& operand) {
    REQUIRE(operand.kind == Operand::Kind::reg);
    return module.function("k")->code().registers.at(operand.index).name;
}

} // namespace

TEST_CASE("opcodes are kept as written, with :: and with blanks between the modifiers") {
    const auto module = parse_body(R"(
ld.global.L2::128B.v2.f32 {%f1, %f2}, [%rd1];
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 1;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];
ld .global
   .u32 %r1, [%rd1];
)");
    const auto& body = module->function("k")->body();
    CHECK(body[0].opcode == "ld.global.L2::128B.v2.f32");
    CHECK(body[1].opcode == "mbarrier.try_wait.parity.shared::cta.b64");
    CHECK(body[2].opcode == "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes");
    CHECK(body[3].opcode == "ld.global.u32");
    CHECK(body[3].text_line == 11);
}

TEST_CASE("operands: registers, immediates, addresses, vectors, pairs, sinks, special registers") {
    const auto module = parse_body(R"(
@%p1 mov.u32 %r1, %tid.x;
@!%p2 mov.u64 %rd1, %clock64;
mov.b64 {%r1, _}, %rd2;
setp.eq.and.u32 %p1|%p2, %r1, -5, !%p3;
setp.ne.u32 _|%p2, %r1, 0xFFU;
ld.param.u64 %rd1, [p+0];
st.global.f32 [%rd1+-4], 0f3F800000;
st.global.f32 [%rd1-8], -0d3FF0000000000000;
ld.shared.u32 %r1, [64];
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
and.b32 %r1, 017, (4+4)*2;
mov.u32 %r1, WARP_SZ;
mov.u32 %r1, 0b101;
mov.u32 %r1, %envreg3;
mov.u32 %r1, %dynamic_smem_size;
mov.u32 %r1, %cluster_ctaid.x;
mov.u64 %rd1, p;
)");
    const auto& body = module->function("k")->body();
    CHECK(module->function("k")->code().registers[body[0].guard].name == "%p1");
    CHECK_FALSE(body[0].guard_negated);
    CHECK(body[1].guard_negated);
    CHECK(operand(*module, 0, 1).kind == Operand::Kind::special);
    CHECK(operand(*module, 0, 1).text == "%tid.x");
    CHECK(operand(*module, 2, 0).kind == Operand::Kind::vector);
    CHECK(operand(*module, 2, 0).elements.at(1).kind == Operand::Kind::sink);
    CHECK(operand(*module, 3, 0).kind == Operand::Kind::pair);
    CHECK(register_name(*module, operand(*module, 3, 0).elements[1]) == "%p2");
    CHECK(static_cast<int64_t>(operand(*module, 3, 2).bits) == -5);
    CHECK(operand(*module, 3, 3).negated);
    CHECK(operand(*module, 4, 0).elements[0].kind == Operand::Kind::sink);
    CHECK(operand(*module, 4, 2).bits == 255);
    CHECK(operand(*module, 5, 1).kind == Operand::Kind::address);
    CHECK(operand(*module, 5, 1).elements[0].kind == Operand::Kind::param);
    CHECK(operand(*module, 6, 0).offset == -4);
    CHECK(operand(*module, 6, 1).is_float);
    CHECK(operand(*module, 6, 1).width == 32);
    CHECK(operand(*module, 7, 0).offset == -8);
    CHECK(std::bit_cast<double>(operand(*module, 7, 1).bits) == -1.0);
    CHECK(operand(*module, 8, 1).elements[0].bits == 64);
    const Operand& tensor = operand(*module, 9, 1);
    REQUIRE(tensor.elements.size() == 2);
    CHECK(tensor.elements[1].kind == Operand::Kind::vector);
    CHECK(tensor.elements[1].elements.size() == 2);
    CHECK(operand(*module, 10, 1).bits == 15);
    CHECK(operand(*module, 10, 2).bits == 16);
    CHECK(operand(*module, 11, 1).bits == 32);
    CHECK(operand(*module, 12, 1).bits == 5);
    for (int i = 13; i < 16; ++i)
        CHECK(operand(*module, i, 1).kind == Operand::Kind::special);
    CHECK(operand(*module, 16, 1).kind == Operand::Kind::param);
}

TEST_CASE("a program's register comes before the special register of the same name") {
    const auto module = parse_body(".reg .u32 %laneid; mov.u32 %r1, %laneid; mov.u32 %r1, %warpid;");
    CHECK(register_name(*module, operand(*module, 0, 1)) == "%laneid");
    CHECK(operand(*module, 1, 1).kind == Operand::Kind::special);
}

TEST_CASE("register ranges, also with digits at the end of their name, and vector registers") {
    const auto module = parse_body(R"(
.reg .b32 %x1<5>, y, z;
.reg .v4 .f32 q;
add.u32 %x13, y, z;
mov.f32 q.y, %f1;
st.v4.f32 [%rd1], q;
)");
    CHECK(register_name(*module, operand(*module, 0, 0)) == "%x13");
    CHECK(register_name(*module, operand(*module, 1, 0)) == "q.y");
    CHECK(operand(*module, 2, 1).elements.size() == 4);
}

TEST_CASE("blocks have registers and labels of their own; labels are found before their definition") {
    const auto module = parse_body(R"(
bra end;
{ .reg .pred p; .reg .b32 %r1;
waitLoop: setp.eq.u32 p, %r1, 1;
@!p bra waitLoop;
bra done;
done:
}
{ .reg .pred p;
waitLoop: setp.eq.u32 p, %r1, 2;
@p bra waitLoop;
bra end;
}
end: ret;
)");
    const Function& k = *module->function("k");
    CHECK(k.body()[0].operands[0].kind == Operand::Kind::label);
    CHECK(k.body()[0].operands[0].index == 7);
    CHECK(k.body()[2].operands[0].index == 1);
    CHECK(k.body()[3].operands[0].index == 4);
    CHECK(k.body()[5].operands[0].index == 4);
    CHECK(k.body()[6].operands[0].index == 7);
    CHECK(k.body()[1].operands[0].index != k.body()[4].operands[0].index); // two registers called p
    CHECK(k.body()[1].operands[1].index != k.body()[4].operands[1].index); // the inner %r1 hides the outer one
    CHECK(k.code().registers[k.body()[4].operands[1].index].name == "%r1");
}

TEST_CASE("a label at the end of a body has an instruction to go to") {
    const auto module = parse_body("bra end;\nend:");
    const Function& k = *module->function("k");
    REQUIRE(k.body().size() == 2);
    CHECK(k.body()[0].operands[0].index == 1);
    CHECK(k.body()[1].opcode == "ret");
}

TEST_CASE("branch targets are resolved, the list before or after its use") {
    const auto module = parse_body(R"(
ts: .branchtargets A, B;
brx.idx %r1, ts;
A: ret;
B: brx.idx %r1, later;
later: .branchtargets B, A, A;
)");
    const Function& k = *module->function("k");
    CHECK(k.body()[0].operands[1].kind == Operand::Kind::text);
    CHECK(k.code().branch_targets.at(k.body()[0].operands[1].text) == std::vector<uint32_t>{1, 2});
    CHECK(k.code().branch_targets.at("later") == std::vector<uint32_t>{2, 1, 1});
}

TEST_CASE("the same list label in two blocks stands for two lists") {
    const auto module = parse_body(R"(
{ A: ts: .branchtargets A; brx.idx %r1, ts; }
{ mov.u32 %r1, 0; A: ts: .branchtargets A; brx.idx %r1, ts; }
)");
    const Function& k = *module->function("k");
    CHECK(k.code().branch_targets.at(k.body()[0].operands[1].text) == std::vector<uint32_t>{0});
    CHECK(k.code().branch_targets.at(k.body()[2].operands[1].text) == std::vector<uint32_t>{2});
}
