// What is wrong in a function that no kernel in use may call does no harm; all else is found before a kernel runs.
#include <doctest/doctest.h>

#include "sim/device/device.h"
#include "sim/ptx/module.h"

using namespace sim::machine;

namespace {

// Launches `kernel`; the message of the error that the text has for it.
std::string refusal(const std::string& text, const std::string& kernel) {
    Options options;
    options.detect = false;
    sim::Device gpu(options);
    LoadedModule& module = gpu.load(".version 8.6\n.target sm_90\n.address_size 64\n" + text);
    try {
        const Outcome outcome = gpu.launch(gpu.kernel(module, kernel), {}, {}, {});
        CHECK(outcome);
    } catch (const sim::ptx::ParseError& error) {
        CHECK_THROWS_AS(gpu.kernel(module, kernel), sim::ptx::ParseError); // each time
        return error.what();
    }
    gpu.executed();
    return {};
}

} // namespace

TEST_CASE("a broken function is reported to those who may call it") {
    const std::string text = R"(
.func broken() { frobnicate %r1; }
.func between() { call broken; ret; }
.global .u64 table[2] = {0, broken};
.entry uses() { call between; ret; }
.entry calls_addresses() { .reg .b64 a; .reg .pred p;
    P: .callprototype _ ();
    setp.ne.b32 p, 0, 0; ld.global.u64 a, [table+8]; @p call a, P; ret; }
.entry takes_its_address() { .reg .b64 a; mov.b64 a, broken; ret; }
.entry uses_others() { .reg .b64 a; ld.global.u64 a, [table]; ret; }
.entry is_broken() { bad %x y; }
)";
    const std::string error = "PTX line 5: unknown name '%r1': no label, register, variable, parameter or function has "
                              "it here";
    CHECK(refusal(text, "uses") == error);
    CHECK(refusal(text, "calls_addresses") == error);
    CHECK(refusal(text, "takes_its_address") == error);
    CHECK(refusal(text, "uses_others") == "");
    CHECK(refusal(text, "is_broken") == "PTX line 14: expected ';' after 'bad' but found 'y'");
}

TEST_CASE("an address that no kernel knows as a function's is none, whatever stands there") {
    const std::string text = R"(
.func broken() { frobnicate %r1; }
.entry guesses() { .reg .b64 a; P: .callprototype _ (); mov.b64 a, 0x300000000010; call a, P; ret; }
)";
    Options options;
    options.detect = false;
    sim::Device gpu(options);
    LoadedModule& module = gpu.load(".version 8.6\n.target sm_90\n.address_size 64\n" + text);
    CHECK_FALSE(gpu.launch(gpu.kernel(module, "guesses"), {}, {}, {}));
}

TEST_CASE("a kernel's shared memory is where it was, whichever kernel is asked for first") {
    const std::string text = R"(.version 8.6
.target sm_90
.address_size 64
.shared .align 8 .b8 all[64];
.func f() { .shared .align 16 .b8 of_function[32]; ret; }
.entry a() { .shared .align 4 .b8 own[12]; call f; ret; }
.entry b() { .shared .align 4 .b8 own[20]; .reg .b32 r; mov.b32 r, own; ret; }
.entry c() { ret; }
)";
    Options options;
    sim::Device first(options), second(options);
    LoadedModule &one = first.load(text), &other = second.load(text);
    const uint32_t a = first.kernel(one, "a").static_shared, b = first.kernel(one, "b").static_shared;
    CHECK(a == 112); // 64 + 32 + 12, a multiple of 16
    CHECK(b == 32);
    CHECK(first.kernel(one, "c").static_shared == 0);
    CHECK(second.kernel(other, "b").static_shared == b);
    CHECK(second.kernel(other, "a").static_shared == a);
}
