// What cannot be decoded is an error that names the instruction, when it is executed and not before.
#include <doctest/doctest.h>

#include "kernel.h"
#include "sim/ptx/module.h"

using sim::machine::Fault;

namespace {

// The message of a kernel that executes `instruction`; empty if it works.
std::string refused(const std::string& instruction) {
    const Ran ran = run(instruction, 32);
    if (ran.outcome)
        return {};
    CHECK(ran.outcome.fault == Fault::not_implemented);
    return ran.outcome.message;
}

void names(const std::string& instruction, std::initializer_list<const char*> words) {
    const std::string message = refused(instruction);
    CAPTURE(instruction);
    CAPTURE(message);
    for (const char* word : words)
        CHECK(message.find(word) != std::string::npos);
}

} // namespace

TEST_CASE("unknown instructions and modifiers are named") {
    names("frobnicate.u32 %r2, %r3;", {"'frobnicate.u32'", "not implemented"});
    names("add.u31 %r2, %r3, %r4;", {"'add.u31'"});
    names("add.u32.sideways %r2, %r3, %r4;", {"'add.u32.sideways'", ".sideways"});
    names("ld.global.v3.u32 %r2, [%rd1];", {".v3"});
}

TEST_CASE("operands of the wrong number or kind are named") {
    names("add.u32 %r2, %r3;", {"'add.u32'"});
    names("prmt.b32 %r2, %r3;", {"'prmt.b32'", "2 operands", "4"});
    names("add.u32 5, %r3, %r4;", {"destination"});
    names("add.u64 %r2, %rd3, %rd4;", {"add.u64", "32 bits", "64"});
    names("selp.u32 %r2, %r3, %r4, %r5;", {"predicate"});
}

TEST_CASE("a name that nothing has is found when the kernel is asked for") {
    CHECK_THROWS_WITH_AS(run("mov.u32 %r2, %no_such_register;", 1), doctest::Contains("%no_such_register"),
                         sim::ptx::ParseError);
}

TEST_CASE("what is never executed does no harm") {
    CHECK(refused("setp.ge.u32 %p1, %r1, 64; @!%p1 bra END; frobnicate.u32 %r2, %r3; END:") == "");
    CHECK(refused("ret; frobnicate.u32 %r2, %r3;") == "");
    CHECK(refused("setp.ge.u32 %p1, %r1, 31; @%p1 frobnicate.u32 %r2, %r3;") != ""); // one lane suffices
}

TEST_CASE("guards: an instruction runs in the lanes whose predicate says so") {
    const Ran ran = run(R"(
        setp.lt.u32 %p1, %r1, 5;
        @%p1 st.global.u32 [%rd2], 1;
        @!%p1 st.global.u32 [%rd2], 2;
    )",
                        32);
    REQUIRE(ran.outcome);
    for (uint32_t lane = 0; lane < 32; ++lane)
        CHECK(ran.words[lane] == (lane < 5 ? 1u : 2u));
}
