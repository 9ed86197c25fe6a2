// Opcodes against the notation of the PTX manual.
#include <doctest/doctest.h>

#include "sim/machine/syntax.h"

using sim::machine::Form;

namespace {

constexpr std::string_view load = R"(
ld{.weak}{.ss}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy};
ld.volatile{.ss}.type d, [a];
.ss = { .const, .global, .shared{::cta, ::cluster} };
.level::prefetch_size = { .L2::64B, .L2::128B };
.vec = { .v2, .v4 };
.type = { .u32, .f32 };
)";
constexpr std::string_view convert = R"(
cvt{.rnd}{.sat}.type.type d, a;
.rnd = { .rn, .rz };
.type = { .f16, .f32, .u8 };
)";

// Why it does not match; empty if it does.
std::string refused(std::string_view syntax, std::string_view name, std::string_view opcode, size_t operands,
                    Form* matched = nullptr) {
    Form form;
    std::string why;
    const bool matches = match(syntax, name, opcode, operands, matched ? *matched : form, why);
    return matches ? "" : why;
}

} // namespace

TEST_CASE("optional modifiers may be left out, required ones may not") {
    Form form;
    REQUIRE(refused(load, "ld", "ld.u32", 2, &form) == "");
    CHECK(form.index() == 0);
    CHECK(form.value(".type") == ".u32");
    CHECK_FALSE(form.has(".ss"));
    CHECK(refused(load, "ld", "ld.global", 2) != "");
    CHECK(refused(convert, "cvt", "cvt.sat", 2).find("missing .type") != std::string::npos);
}

TEST_CASE("a set's members are distinguished, including those in braces") {
    for (const char* space : {".const", ".global", ".shared", ".shared::cta", ".shared::cluster"}) {
        Form form;
        REQUIRE(refused(load, "ld", std::string("ld") + space + ".f32", 2, &form) == "");
        CHECK(form.value(".ss") == space);
        CHECK(form.value(".type") == ".f32");
    }
    CHECK(refused(load, "ld", "ld.shared::grid.f32", 2) != "");
    CHECK(refused(load, "ld", "ld.local.f32", 2).find(".local") != std::string::npos);
}

TEST_CASE("modifiers may come in any order, but each only once") {
    Form form;
    REQUIRE(refused(load, "ld", "ld.v4.u32.L2::128B.weak.global", 2, &form) == "");
    CHECK(form.value(".vec") == ".v4");
    CHECK(form.value(".level::prefetch_size") == ".L2::128B");
    CHECK(form.has(".weak"));
    CHECK(refused(load, "ld", "ld.global.global.u32", 2) != "");
    CHECK(refused(load, "ld", "ld.v2.v4.u32", 2) != "");
}

TEST_CASE("members of one set fill its slots from left to right") {
    Form form;
    REQUIRE(refused(convert, "cvt", "cvt.rn.sat.f16.f32", 2, &form) == "");
    CHECK(form.value(".type", 0) == ".f16");
    CHECK(form.value(".type", 1) == ".f32");
    CHECK(form.value(".type", 2) == "");
    CHECK(refused(convert, "cvt", "cvt.rn.f16", 2) != "");
    CHECK(refused(convert, "cvt", "cvt.f16.f32.u8", 2) != "");
}

TEST_CASE("the first form that fits is taken") {
    Form form;
    REQUIRE(refused(load, "ld", "ld.volatile.shared.u32", 2, &form) == "");
    CHECK(form.index() == 1);
    CHECK(form.has(".volatile"));
    CHECK(refused(load, "ld", "ld.volatile.v4.u32", 2) != ""); // the second form has no vectors
}

TEST_CASE("operands: all that are required, and no more than there are") {
    Form form;
    REQUIRE(refused(load, "ld", "ld.u32", 3, &form) == "");
    CHECK(form.operands() == std::vector<std::string>{"d", "[a]", "cache-policy"});
    CHECK(form.required_operands() == 2);
    CHECK(refused(load, "ld", "ld.u32", 1) != "");
    CHECK(refused(convert, "cvt", "cvt.u8.f32", 1).find("1 operands; the form has 2") != std::string::npos);
    CHECK(refused(load, "ld", "ld.u32", 4) != "");
    CHECK(refused(load, "ld", "ld.volatile.u32", 3) != ""); // only the first form has a policy
}

TEST_CASE("what does not fit is quoted") {
    const std::string why = refused(load, "ld", "ld.u33", 2);
    CHECK(why.find("'ld.u33'") != std::string::npos);
    CHECK(why.find("ld") != std::string::npos);
    CHECK(refused("", "ld", "ld.u32", 2).find("not a form of ld") != std::string::npos);
}
