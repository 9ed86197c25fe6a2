#include "helpers.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

using namespace sim::ptx;

namespace {

std::string module_refusal(const std::string& text) {
    return refusal(parse_module, text);
}
std::string body_refusal(const std::string& text) {
    return refusal(parse_body, text);
}
std::string text_refusal(const std::string& text) {
    return refusal([](auto& t) { return parse(t); }, text);
}

} // namespace

TEST_CASE("what is no PTX at all is refused") {
    CHECK(text_refusal("") == "PTX line 1: there is no PTX here: the text is empty");
    CHECK(text_refusal("hello") ==
          "PTX line 1: expected '.version' (the first directive of every PTX module) but found 'hello'");
    CHECK(text_refusal(".version 9\n.target sm_90") ==
          "PTX line 1: expected a version such as 9.0 after .version but found '9'");
    CHECK(text_refusal(".version 9.0\n.target hopper,sm_x\n") == "PTX line 3: 'sm_x' is not a target architecture");
    CHECK(text_refusal(".version 9.0\n.address_size 32\n.target sm_90") ==
          "PTX line 3: only .address_size 64 can run here; compile for a 64-bit target (nvcc -m64)");
}

TEST_CASE("unknown names are refused with line and name") {
    CHECK(body_refusal("mov.u32 %r1, %r2;\nmov.u32 %r1, %r77;") ==
          "PTX line 8: unknown name '%r77': no label, register, variable, parameter or function has it here");
    CHECK(body_refusal("bra nowhere;") ==
          "PTX line 7: unknown name 'nowhere': no label, register, variable, parameter or function has it here");
    CHECK(body_refusal("st.global.u32 [nothing+4], %r1;") == "PTX line 7: unknown name 'nothing'");
    CHECK(body_refusal("mov.b64 %rd1, {%r1, %q};") == "PTX line 7: unknown name '%q'");
    CHECK(body_refusal("@%p9 ret;") == "PTX line 7: unknown register '%p9'");
    CHECK(body_refusal("call missing, (%r1);") == "PTX line 7: unknown function 'missing'");
    CHECK(body_refusal("mov.u32 %r1, %tid.q;").find("unknown name '%tid.q'") != std::string::npos);
    CHECK(module_refusal(".global .u64 x = y;") == "PTX line 4: unknown name 'y' in an initial value");
    CHECK(module_refusal(".alias a, b;") == "PTX line 4: unknown function 'a' in .alias");
}

TEST_CASE("extents are at least 1, and their product is a number of threads or blocks") {
    for (const std::string extent : {"2, 0, 0", "65536, 16777216, 16777216", "0"})
        for (const std::string directive : {".reqntid ", ".maxntid ", ".reqnctapercluster "})
            CHECK(module_refusal(".entry k() " + directive + extent + " { ret; }").find("the extents' product is") !=
                  std::string::npos);
    CHECK(module_refusal(".entry k() .reqntid 32, 2, 1 .reqnctapercluster 2 { ret; }").empty());
}

TEST_CASE("a name of another block is unknown") {
    CHECK(body_refusal("{ .reg .b32 x; }\nmov.u32 %r1, x;").find("line 8: unknown name 'x'") != std::string::npos);
    CHECK(body_refusal("{ L: }\nbra L;").find("line 8: unknown name 'L'") != std::string::npos);
    CHECK(body_refusal("{ .reg .b32 x; mov.u32 %r1, x; }").empty());
}

TEST_CASE("a name declared twice in one block is refused") {
    CHECK(body_refusal(".reg .b32 x; .reg .b64 x;") == "PTX line 7: 'x' is already declared in this block");
    CHECK(body_refusal("L: ret;\nL: ret;") == "PTX line 8: the label 'L' is already defined in this block");
    CHECK(module_refusal(".global .u32 x;\n.global .u32 x;") == "PTX line 5: 'x' is already declared");
    CHECK(module_refusal(".func f() {}\n.func f() {}") == "PTX line 5: the function 'f' is already defined in line 4");
}

TEST_CASE("broken syntax is refused where it is") {
    CHECK(body_refusal("mov.u32 %r1, %r2\nret;") == "PTX line 8: expected ';' after 'mov.u32' but found 'ret'");
    CHECK(body_refusal("mov.u32 %r1, ;") == "PTX line 7: expected an operand but found ';'");
    CHECK(body_refusal("ld.u32 %r1, [%rd1;") == "PTX line 7: expected ']' after an address but found ';'");
    CHECK(body_refusal("ld.u32 %r1, [{%r1}];") ==
          "PTX line 7: an address needs a register, a variable, a parameter or a number between '[' and ']'");
    CHECK(body_refusal("@%r1 ret;") == "PTX line 7: '%r1' guards an instruction but is not a .pred register");
    CHECK(body_refusal("mov.u32 %r1, 0x;") == "PTX line 7: '0x' is not a number");
    CHECK(body_refusal("mov.u32 %r1, 99999999999999999999;") ==
          "PTX line 7: the number '99999999999999999999' does not fit in 64 bits");
    CHECK(body_refusal("mov.f32 %f1, 0f3F8;") == "PTX line 7: '0f3F8' needs 8 hexadecimal digits after 0f");
    CHECK(body_refusal("mov.u32 %r1, 4/0;") == "PTX line 7: a constant expression divides by zero");
    CHECK(body_refusal(".entry inner() {}") == "PTX line 7: this parser does not know '.entry' in a function's body");
    CHECK(body_refusal("ADD %r1;") == "PTX line 7: 'ADD' is not an instruction");
    CHECK(module_refusal(".entry k() { ret;") == "PTX line 4: the body of 'k' is never closed: the text ends");
    CHECK(module_refusal("/* never closed") == "PTX line 4: a comment is opened with /* and never closed");
    CHECK(module_refusal(".file 1 \"x") == "PTX line 4: a string is not closed on its line");
    CHECK(module_refusal(".nonsense") == "PTX line 4: this parser does not know '.nonsense' at module level");
    CHECK(module_refusal("\x01") == "PTX line 4: unexpected byte 0x01");
    CHECK(module_refusal(".section .debug_info { .b8 1") == "PTX line 4: a '{' is never closed");
}

TEST_CASE("impossible variables are refused") {
    CHECK(module_refusal(".global .u32 x[];") == "PTX line 4: 'x' has no size: only .extern arrays may leave it open");
    CHECK(module_refusal(".shared .u32 x = 4;") ==
          "PTX line 4: 'x' is in .shared memory and cannot have an initial value");
    CHECK(module_refusal(".global .u32 x[2] = {1, 2, 3};") ==
          "PTX line 4: 'x' has more initial values than room for them");
    CHECK(module_refusal(".global .align 3 .u32 x;") == "PTX line 4: the alignment 3 is not a power of two");
    CHECK(module_refusal(".global .u8 x = y;") == "PTX line 4: the address of 'y' does not fit in an element of 'x'");
    CHECK(module_refusal(".global .b8 x[0xFFFFFFFF][0xFFFFFFFF];") ==
          "PTX line 4: 'x' is larger than this device's memory");
    for (const char* wrapping :
         {".global .b8 x[0x1000000000][0x10000000];", ".extern .global .b8 x[][0x1000000000][0x10000000];",
          ".extern .shared .b32 x[][0x1000000000][0x10000000];"})
        CHECK(module_refusal(wrapping) == "PTX line 4: 'x' is larger than this device's memory");
    CHECK(module_refusal(".entry k() { .local .b8 x[0x80001]; }") ==
          "PTX line 4: 'x' does not fit: there are 524288 bytes of local memory");
    CHECK(module_refusal(".entry k() { .local .b8 x[0x80000]; }").empty());
    CHECK(module_refusal(".shared .b8 x[0x40000001];").find("bytes of shared memory") != std::string::npos);
    CHECK(module_refusal(".func f (.param .b8 x[0x100000][0x1000000000]) {}") ==
          "PTX line 4: parameter 'x' is too large");
    CHECK(module_refusal(".func f (.param .align 0x80000 .b8 x[1], .param .align 0x100000 .b8 y[1]) {}") ==
          "PTX line 4: parameters of more than 1048576 bytes");
    CHECK(module_refusal(".func f () { .param .align 0x100000 .b8 x[1]; .param .align 0x100000 .b8 y[1]; }") ==
          "PTX line 4: the .param variables of 'f' take more than 1048576 bytes");
    CHECK(module_refusal(".global .u8 x[8] = {0xFF(y)};") ==
          "PTX line 4: pieces of an address, mask(symbol), are not known to this parser");
}

TEST_CASE("calls that do not fit the function are refused") {
    const std::string declared = ".func (.param .b32 r) f (.param .b32 x);\n.entry k() { .param .b32 a; ";
    CHECK(module_refusal(declared + "call (a), f, (a); }").empty());
    CHECK(module_refusal(declared + "call f, (a, a); }") ==
          "PTX line 5: 'f' takes 1 and returns 1 values, but is called with 2 and 0");
    CHECK(module_refusal(declared + "call a; }") ==
          "PTX line 5: 'a' cannot be called: it is neither a function nor a register");
}

TEST_CASE("what would take endless memory or depth is refused") {
    CHECK(body_refusal(".reg .b32 %q<4000000000>;").find("more than 1048576") != std::string::npos);
    const std::string open(100'000, '{'), close(100'000, '}');
    CHECK(body_refusal(open) == "PTX line 5: the body of 'k' is never closed: the text ends");
    CHECK(body_refusal(open + close) == "PTX line 7: blocks are nested more than 250 deep");
    CHECK(body_refusal("mov.u32 %r1, " + std::string(100'000, '(') + "1;") ==
          "PTX line 7: an expression is nested too deeply");
    CHECK(body_refusal("mov.b64 %rd1, " + open + close) == "PTX line 7: operands are nested too deeply");
    CHECK(body_refusal("ld.u32 %r1, " + std::string(100'000, '[')) == "PTX line 7: operands are nested too deeply");
    CHECK(module_refusal(".global .u32 x = " + std::string(100'000, '-')) ==
          "PTX line 4: an expression is nested too deeply");
    CHECK(module_refusal(".global .u32 x[2] = " + std::string(100'000, '{')) ==
          "PTX line 4: too many '{' in the initial value of 'x'");
    std::string chain = ".file 1 \"a.cu\"\n.loc 1 1 1\n";
    for (int i = 2; i < 1000; ++i)
        chain += fmt::format(".loc 1 {} 1, function_name f, inlined_at 1 {} 1\n", i, i - 1);
    CHECK(module_refusal(chain) == "");
    CHECK(module_refusal(chain + ".entry k() { ret; }").find("a chain of inlined_at has more than 400 links") !=
          std::string::npos);
}
