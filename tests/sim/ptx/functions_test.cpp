#include "helpers.h"

#include <doctest/doctest.h>

using namespace sim::ptx;

TEST_CASE("an entry's parameters are laid out in order with their alignment") {
    const auto module = parse_module(R"(
.visible .entry k(
	.param .u32 a,
	.param .u64 .ptr .global .align 4 b,
	.param .u8 c,
	.param .align 64 .b8 map[128],
	.param .f32 d
)
.maxntid 128
.minnctapersm 2
.maxnreg 32
{ ret; }
.entry cluster() .reqntid 32, 2, 1 .explicitcluster .reqnctapercluster 2, 1, 1 .blocksareclusters .maxclusterrank 8 {}
)");
    const Function& k = *module->function("k");
    CHECK(k.is_entry);
    CHECK_FALSE(k.is_extern);
    REQUIRE(k.params.size() == 5);
    const uint64_t offsets[] = {0, 8, 16, 64, 192};
    for (int i = 0; i < 5; ++i)
        CHECK(k.params[i].offset == offsets[i]);
    CHECK(k.params[3].bytes == 128);
    CHECK(k.max_threads[0] == 128);
    CHECK(k.max_threads[2] == 1);
    const Function& cluster = *module->function("cluster");
    CHECK(cluster.required_threads[1] == 2);
    CHECK(cluster.explicit_cluster);
    CHECK(cluster.required_cluster[0] == 2);
    REQUIRE(cluster.body().size() == 1); // nothing falls off the end
    CHECK(cluster.body()[0].opcode == "ret");
}

TEST_CASE("a declared function is completed by its definition; aliases are followed") {
    const auto module = parse_module(R"(
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.func (.param .b32 r) f (.param .b32 x);
.func g .noreturn;
.visible .func (.param .b32 r) f (.param .b32 x)
{
	.reg .b32 %r<2>;
	ld.param.b32 %r1, [x];
	st.param.b32 [r], %r1;
	ret;
}
.func (.reg .b32 %sum) add (.reg .b32 %a, .reg .b32 %b) { add.s32 %sum, %a, %b; ret; }
.func h();
.alias h, f;
)");
    CHECK(module->function("vprintf")->is_extern);
    CHECK(module->function("g")->is_extern);
    const Function& f = *module->function("f");
    CHECK_FALSE(f.is_extern);
    CHECK(f.body().size() == 3);
    CHECK(f.body()[0].operands[1].elements[0].kind == Operand::Kind::param);
    CHECK_FALSE(f.body()[0].operands[1].elements[0].is_return);
    CHECK(f.body()[1].operands[0].elements[0].is_return);
    const Function& add = *module->function("add");
    CHECK(add.params[1].is_register);
    CHECK(add.code().registers[add.params[1].reg].name == "%b");
    CHECK(add.body()[0].operands[2].index == add.params[1].reg);
    CHECK(module->function("h") == &f);
    CHECK(module->function("nothing") == nullptr);
}

TEST_CASE("calls: direct, through a register with a prototype, through a list of targets") {
    const auto module = parse_module(R"(
.func (.param .b32 r) f (.param .b32 x, .param .align 8 .b8 s[16]);
.func g ();
.entry k()
{
	.reg .b32 %r<3>; .reg .b64 %rd<3>;
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	.param .b32 param0;
	st.param.b32 [param0+0], %r1;
	.param .align 8 .b8 param1[16];
	.param .b32 retval0;
	call.uni (retval0),
	f,
	(
	param0,
	param1
	);
	ld.param.b32 %r2, [retval0+0];
	}
	{
	.param .b32 param0;
	.param .b32 retval0;
	proto : .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;
	call (retval0), %rd1, (param0), proto;
	}
	call g;
	targets: .calltargets g, f;
	call %rd2, targets;
	mov.u64 %rd1, f;
	ret;
}
)");
    const Function& k = *module->function("k");
    REQUIRE(k.code().call_params.size() == 5);
    CHECK(k.code().call_params[1].offset == 8);
    CHECK(k.code().call_params[2].offset == 24);
    CHECK(k.code().call_params[3].offset == 0); // another call, the same place
    CHECK(k.code().call_params_bytes == 28);
    const Instruction& direct = k.body()[1];
    CHECK(direct.opcode == "call.uni");
    CHECK(direct.operands.at(0).kind == Operand::Kind::function);
    CHECK(direct.operands.at(0).text == "f");
    REQUIRE(direct.call_args.size() == 2);
    CHECK(direct.call_args[1].is_call_param);
    CHECK(direct.call_args[1].index == 1);
    CHECK(direct.call_returns.at(0).index == 2);
    const Instruction& indirect = k.body()[3];
    CHECK(indirect.operands.at(0).kind == Operand::Kind::reg);
    CHECK(indirect.operands.at(1).kind == Operand::Kind::text);
    CHECK(k.code().prototypes.at(indirect.operands[1].text).noreturn);
    CHECK(k.code().prototypes.at("proto").params.at(0).bytes == 4);
    CHECK(k.code().call_targets.at(k.body()[5].operands.at(1).text) == std::vector<std::string>{"g", "f"});
    CHECK(k.body()[6].operands[1].kind == Operand::Kind::function);
}

TEST_CASE("shared and local variables in a body belong to the function") {
    const auto module = parse_module(R"(
.entry a() { .shared .align 16 .b8 tile[64]; .local .align 8 .b8 depot[32]; .reg .b64 %rd<2>;
	mov.u64 %rd1, depot; mov.u64 %rd1, tile; ret; }
.entry b() { .shared .b32 tile[2]; .reg .b32 %r; ld.shared.b32 %r, [tile+4]; ret; }
)");
    const Function &a = *module->function("a"), &b = *module->function("b");
    REQUIRE(a.code().locals.size() == 2);
    CHECK(a.code().locals[0]->space == Space::shared);
    CHECK(a.code().locals[1]->space == Space::local);
    CHECK(a.body()[0].operands[1].variable == a.code().locals[1].get());
    CHECK(b.body()[0].operands[1].elements[0].variable == b.code().locals[0].get());
    CHECK(b.body()[0].operands[1].offset == 4);
    CHECK(module->variables.empty());
}
