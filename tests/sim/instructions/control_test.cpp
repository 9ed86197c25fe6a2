#include <doctest/doctest.h>

#include "snippet.h"

using u32 = uint32_t;
using u64 = uint64_t;

namespace control_test {

std::vector<In> numbered(u32 count = 32) {
    std::vector<In> inputs;
    for (u32 i = 0; i < count; ++i)
        inputs.push_back({i, i % 3, 0, 0});
    return inputs;
}

const std::string functions = R"(
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.extern .func (.param .b64 result) malloc (.param .b64 bytes);
.extern .func free (.param .b64 pointer);
.extern .func __assertfail (.param .b64 what, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.extern .func nowhere ();
.global .align 1 .b8 text[32] = {37, 100, 32, 37, 53, 46, 50, 102, 32, 37, 99, 32, 37, 108, 108, 120, 32, 37, 37, 32, 37, 115, 10, 0};
.global .align 1 .b8 word[4] = {97, 98, 99, 0};
.func (.param .b32 result) twice (.param .b32 value)
{
    .reg .b32 %a<3>;
    ld.param.u32 %a1, [value];
    add.u32 %a2, %a1, %a1;
    st.param.u32 [result], %a2;
    ret;
}
.func (.param .b32 result) square (.param .b32 value)
{
    .reg .b32 %a<3>;
    ld.param.u32 %a1, [value];
    mul.lo.u32 %a2, %a1, %a1;
    st.param.u32 [result], %a2;
    ret;
}
.func (.param .b32 result) sum_to (.param .b32 value)
{
    .reg .pred %z;
    .reg .b32 %a<5>;
    ld.param.u32 %a1, [value];
    setp.eq.u32 %z, %a1, 0;
    @!%z bra DEEPER;
    st.param.u32 [result], 0;
    ret;
DEEPER:
    sub.u32 %a2, %a1, 1;
    .param .b32 argument;
    .param .b32 back;
    st.param.u32 [argument], %a2;
    call (back), sum_to, (argument);
    ld.param.u32 %a3, [back];
    add.u32 %a4, %a3, %a1;
    st.param.u32 [result], %a4;
    ret;
}
.func endless () { call endless, (); ret; }
)";

u32 expected_sum(u64 n) {
    return u32(n * (n + 1) / 2);
}

TEST_CASE("branches: lanes part and meet again") {
    check32("mov.u32 %r10, 1; @%p1 bra ODD; mov.u32 %r10, 2; bra.uni JOIN; ODD: mov.u32 %r10, 3; JOIN: add.u32 %r10, "
            "%r10, 10;",
            numbered(), [](const In& x) { return x.a & 1 ? 13u : 12u; });
    check32("mov.u32 %r10, 0; LOOP: setp.ge.u32 %p5, %r10, %r1; @%p5 bra END; add.u32 %r10, %r10, 1; bra LOOP; END:",
            numbered(), [](const In& x) { return u32(x.a); });
    const auto met = execute("@%p1 bra A; bra B; A: nanosleep.u32 10; B: activemask.b32 %r10;", numbered());
    CHECK(met[0].narrow == 0xffffffff); // an even lane does not wait, but lower addresses run first
}

TEST_CASE("brx.idx sends each lane to its target") {
    check32("bra START; L0: mov.u32 %r10, 100; bra END; L1: mov.u32 %r10, 101; bra END; L2: mov.u32 %r10, 102; bra END;"
            "START: list: .branchtargets L0, L1, L2; brx.idx %r2, list; END:",
            numbered(), [](const In& x) { return 100 + u32(x.b); });
    check32("mov.u32 %r10, 7; bra START; L0: mov.u32 %r10, 100; bra END; L1: mov.u32 %r10, 101; bra END;"
            "START: list: .branchtargets L0, L1, L1; @%p1 brx.idx %r2, list; END:",
            numbered(), [](const In& x) { return x.a & 1 ? x.b ? 101u : 100u : 7u; });
    CHECK(failure("L0: list: .branchtargets L0; brx.idx 1, list;").find("outside") != std::string::npos);
}

TEST_CASE("call passes arguments and returns results, for the lanes that call") {
    const auto same = [](const std::string& body, u32 (*expected)(const In&)) {
        const auto inputs = numbered();
        const auto out = execute(body, inputs, functions);
        for (size_t i = 0; i < inputs.size(); ++i)
            CHECK(out[i].narrow == expected(inputs[i]));
    };
    const std::string arguments = ".param .b32 p0; .param .b32 r0; st.param.b32 [p0], %r1;";
    same("{" + arguments + "call.uni (r0), twice, (p0); ld.param.b32 %r10, [r0]; }",
         [](const In& x) { return u32(2 * x.a); });
    same("{" + arguments + "mov.u32 %r10, 5; @!%p1 bra SKIP; call (r0), twice, (p0); ld.param.b32 %r10, [r0]; SKIP: }",
         [](const In& x) { return x.a & 1 ? u32(2 * x.a) : 5u; });
    same("{" + arguments + "st.param.b32 [r0], 5; @%p1 call (r0), twice, (p0); ld.param.b32 %r10, [r0]; }",
         [](const In& x) { return x.a & 1 ? u32(2 * x.a) : 5u; });
    same("{" + arguments + "call (r0), sum_to, (p0); ld.param.b32 %r10, [r0]; }",
         [](const In& x) { return expected_sum(x.a); });
    // Through a register, with a target of its own for each lane.
    same("{" + arguments +
             "mov.u64 %rd5, twice; mov.u64 %rd6, square; selp.b64 %rd7, %rd5, %rd6, %p1;"
             "proto: .callprototype (.param .b32 _) _ (.param .b32 _); call (r0), %rd7, (p0), proto; ld.param.b32 "
             "%r10, [r0]; }",
         [](const In& x) { return u32(x.a & 1 ? 2 * x.a : x.a * x.a); });
}

TEST_CASE("calls that cannot be made are refused") {
    CHECK(failure("call endless, ();", {In{}}, functions) != "");
    CHECK(failure("call nowhere, ();", {In{}}, functions).find("nowhere") != std::string::npos);
    CHECK(failure("mov.u64 %rd5, 1234; proto: .callprototype _ (); call %rd5, (), proto;", {In{}}, functions) != "");
}

const std::string wrong_calls = R"(
.func (.param .align 4 .b8 big[16384]) returns_much (.param .b32 value)
{
    .reg .b32 %a<3>;
    ld.param.u32 %a1, [value];
    st.param.u32 [big+16380], %a1;
    ret;
}
.func (.param .b32 result) takes_much (.param .align 8 .b8 much[4096])
{
    .reg .b32 %a<3>;
    ld.param.u32 %a1, [much+4092];
    st.param.u32 [result], %a1;
    ret;
}
.func (.param .b32 result) takes_two (.param .b32 a, .param .b32 b) { ret; }
.func (.param .b32 result) takes_aligned (.param .align 16 .b8 v[4]) { ret; }
.func uses_local ()
{
    .local .align 16 .b8 room[262144];
    .reg .b64 %a<2>;
    mov.u64 %a1, room;
    st.local.u64 [%a1], %a1;
    call uses_local, ();
    ret;
}
)";

TEST_CASE("a function is called with what it takes, through a pointer, too") {
    const auto through = [](const std::string& function) {
        return failure("{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %r1; mov.u64 %rd5, " + function +
                           "; proto: .callprototype (.param .b32 _) _ (.param .b32 _); call (r0), %rd5, (p0), proto; }",
                       {In{}}, functions + wrong_calls);
    };
    CHECK(through("twice") == "");
    CHECK(through("returns_much")
              .find("returns_much, takes 4 bytes and returns 16384 bytes, but the call passes what "
                    "takes 4 bytes and returns 4 bytes") != std::string::npos);
    CHECK(through("takes_much").find("takes 4096 bytes and returns 4 bytes, but") != std::string::npos);
    CHECK(through("takes_two").find("takes 4 + 4 bytes") != std::string::npos);
    CHECK(through("takes_aligned").find("with a smaller alignment") != std::string::npos);
    CHECK(through("endless").find("takes nothing and returns nothing") != std::string::npos);
    const std::string direct = "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %r1; call (r0), ";
    CHECK(failure(direct + "takes_much, (p0); }", {In{}}, functions + wrong_calls).find("4096") != std::string::npos);
    CHECK(failure(direct + "twice, (p0+64); }", {In{}}, functions).find("without an offset") != std::string::npos);
    CHECK(failure(direct + "%rd5, (p0), proto; proto: .callprototype (.param .b64 _) _ (.param .b32 _); }")
              .find("the prototype of this call says that the function takes 4 bytes and returns 8 bytes") !=
          std::string::npos);
    CHECK(failure("call uses_local, ();", {In{}}, wrong_calls).find("512 KiB") != std::string::npos);
    CHECK(failure("{ .param .b32 p0; .param .b64 r0; st.param.b32 [p0], 8; call (r0), malloc, (p0); }", {In{}},
                  ".extern .func (.param .b64 result) malloc (.param .b32 bytes);\n")
              .find("malloc takes 8 bytes and returns 8 bytes") != std::string::npos);
}

TEST_CASE("vprintf formats each lane's arguments, in lane order") {
    const std::string print = R"(
        .local .align 8 .b8 args[48];
        st.local.u32 [args], %r1;
        st.local.f64 [args+8], 0d4009000000000000;
        st.local.u32 [args+16], 88;
        st.local.u64 [args+24], 0x123456789;
        mov.u64 %rd5, word; cvta.global.u64 %rd5, %rd5;
        st.local.u64 [args+32], %rd5;
        mov.u64 %rd6, args; cvta.local.u64 %rd6, %rd6;
        mov.u64 %rd7, text; cvta.global.u64 %rd7, %rd7;
        { .param .b64 p0; .param .b64 p1; .param .b32 r0;
        st.param.b64 [p0], %rd7; st.param.b64 [p1], %rd6;
        call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r10, [r0]; })";
    execute(print, {{1, 0, 0, 0}, {u64(-2), 0, 0, 0}}, functions);
    CHECK(printed() == "1  3.12 X 123456789 % abc\n-2  3.12 X 123456789 % abc\n");
}

/// What one lane prints with this format and 64-bit arguments 1, 2, 3.
std::string print_with(const std::string& format) {
    std::string bytes;
    for (const char c : format)
        bytes += std::to_string(int(c)) + ", ";
    execute(R"(
        .local .align 8 .b8 args[24];
        st.local.u64 [args], 1; st.local.u64 [args+8], 2; st.local.u64 [args+16], 3;
        mov.u64 %rd6, args; cvta.local.u64 %rd6, %rd6;
        mov.u64 %rd7, format; cvta.global.u64 %rd7, %rd7;
        { .param .b64 p0; .param .b64 p1; .param .b32 r0;
        st.param.b64 [p0], %rd7; st.param.b64 [p1], %rd6;
        call.uni (r0), vprintf, (p0, p1); })",
            {In{}}, functions + ".global .align 1 .b8 format[256] = {" + bytes + "0};\n");
    return printed();
}

TEST_CASE("vprintf takes CUDA's conversions; anything else is text") {
    CHECK(print_with("%lld %5llu|%-5lld|") == "1     2|3    |");
    CHECK(print_with("%7$llx %12$s %n %2$d") == "%7$llx %12$s %n %2$d");
    CHECK(print_with("%*d %d") == "0 2"); // a width of 1, and two values
    CHECK(print_with("%hhd %hu %u") == "1 0 2");
    CHECK(print_with("100%% %") == "100% %");
    CHECK(print_with("%s") == "");
    CHECK(print_with("%.1000000000f").size() == 1002);
    CHECK(print_with("%2147483648d").size() == 1000);
    CHECK(print_with("%99999999999999999999x %-+ #00000000000000d").size() < 1100);
}

TEST_CASE("malloc gives memory of its own to each lane, free takes it back") {
    const std::string body =
        "{ .param .b64 p0; .param .b64 r0; st.param.b64 [p0], 16; call (r0), malloc, (p0); ld.param.b64 %rd5, [r0]; }"
        "st.u32 [%rd5+12], %r1; ld.u32 %r10, [%rd5+12];"
        "{ .param .b64 p0; st.param.b64 [p0], %rd5; call free, (p0); }";
    const auto out = execute(body, numbered(), functions);
    for (u32 i = 0; i < 32; ++i)
        CHECK(out[i].narrow == i);
    CHECK(failure(body + "ld.u32 %r10, [%rd5+12];", {In{}}, functions).find("freed") != std::string::npos);
}

TEST_CASE("assertions, traps and exits end threads") {
    const std::string message = failure("mov.u64 %rd5, word; cvta.global.u64 %rd5, %rd5; { .param .b64 p0; .param .b64 "
                                        "p1; .param .b32 p2; .param .b64 p3;"
                                        ".param .b64 p4; st.param.b64 [p0], %rd5; st.param.b64 [p1], %rd5; "
                                        "st.param.b32 [p2], 42; st.param.b64 [p3], %rd5;"
                                        "st.param.b64 [p4], 1; call __assertfail, (p0, p1, p2, p3, p4); }",
                                        {In{}}, functions);
    CHECK(message.find("abc:42: abc: block: [0,0,0], thread: [0,0,0] Assertion `abc` failed.") != std::string::npos);
    CHECK(failure("trap;").find("trap") != std::string::npos);
    CHECK(failure("brkpt;") != "");
    const auto out = execute("mov.u32 %r10, 9; st.global.u32 [%rd40+0], 0; @%p1 exit; pmevent 1;", numbered());
    CHECK(out[2].narrow == 9);
    CHECK(failure("mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%r5}, {%r5}, {%r5}, {%r5};")
              .find("sparse matrices") != std::string::npos);
    CHECK(failure("tex.1d.v4.f32.s32 {%r5, %r6, %r7, %r8}, [%rd20, {%r1}];").find("textures") != std::string::npos);
}

TEST_CASE("scheduling hints do nothing, but keep their rules") {
    CHECK(failure("griddepcontrol.wait; griddepcontrol.launch_dependents; setmaxnreg.inc.sync.aligned.u32 240; "
                  "setmaxnreg.dec.sync.aligned.u32 24;",
                  numbered()) == "");
    CHECK(failure("setmaxnreg.inc.sync.aligned.u32 241;").find("multiple of 8") != std::string::npos);
    CHECK(failure("setmaxnreg.inc.sync.aligned.u32 264;") != "");
    CHECK(
        failure("mov.u32 %r10, %laneid; setp.eq.u32 %p2, %r10, 0; @%p2 setmaxnreg.dec.sync.aligned.u32 24;", numbered())
            .find("needs all 32 lanes") != std::string::npos);
    CHECK(failure("nanosleep.u32 100;") == "");
    check64("mov.u64 %rd5, %globaltimer; nanosleep.u32 1000000; mov.u64 %rd6, %globaltimer; "
            "sub.u64 %rd10, %rd6, %rd5; min.u64 %rd10, %rd10, 1000000;",
            {In{}}, [](const In&) { return 1000000u; });
}

} // namespace control_test
