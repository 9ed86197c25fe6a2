#include "helpers.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace sim::ptx;

namespace {

template <class T>
T value_at(const Variable& variable, size_t offset) {
    T value{};
    REQUIRE(offset + sizeof(T) <= variable.init.size());
    std::memcpy(&value, variable.init.data() + offset, sizeof(T));
    return value;
}

} // namespace

TEST_CASE("the module's head is read") {
    const auto module = parse("// comment\n.version 9.0 /* a\nb */ .target sm_90a, debug\n.address_size 64\n");
    CHECK(module->version == 90);
    CHECK(module->target == "sm_90a");
    CHECK(module->sm == 90);
}

TEST_CASE("text padded with zeros, as fat binaries do, is accepted") {
    const std::string text = ".version 9.0\n.target sm_100\n.address_size 64\n";
    const auto module = parse(std::string_view(text + std::string(7, '\0')));
    CHECK(module->sm == 100);
}

TEST_CASE("a text that is known is parsed once, whichever of the last two it is") {
    const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n";
    const std::string texts[] = {head, head + ".global .u32 a;\n", head + ".global .u32 b;\n"};
    Parsed parsed;
    const auto first = parsed.module(texts[0]), second = parsed.module(texts[1]);
    CHECK(parsed.module(texts[0]) == first);
    CHECK(parsed.module(std::string(texts[1])) == second);
    CHECK(!first->variable("a"));
    CHECK(second->variable("a"));
}

TEST_CASE("another text is parsed; the oldest one is forgotten, and what is refused is not known") {
    const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n";
    const std::string texts[] = {head, head + ".global .u32 a;\n", head + ".global .u32 b;\n"};
    Parsed parsed;
    const auto first = parsed.module(texts[0]), second = parsed.module(texts[1]);
    CHECK_THROWS_AS(parsed.module(head + ".global"), ParseError);
    CHECK_THROWS_AS(parsed.module(head + ".global"), ParseError);
    CHECK(parsed.module(texts[0]) == first);
    CHECK(parsed.module(texts[2])->variable("b"));
    CHECK(parsed.module(texts[1]) == second);
    CHECK(parsed.module(texts[0]) != first);
}

TEST_CASE("variables have space, size, alignment and initial value") {
    const auto module = parse_module(R"(
.visible .global .align 4 .u32 counter = 7;
.const .align 16 .b8 table[5] = {1, 0x2, 0b11, 04, -1};
.global .attribute(.managed) .align 4 .s32 m;
.global .f32 half = 0f3F000000, one = 1.0, minus = -1.0;
.global .f64 d[2] = {0d3FF8000000000000, 2.5};
.global .b32 grid[2][3] = {{1, 2}, {4, 5, 6}};
.global .v4 .f32 quad = {0f3F800000, 0f40000000};
.global .u16 open[] = {1, 2, 3};
.extern .global .u32 elsewhere;
.shared .align 8 .b8 tile[1024];
.extern .shared .align 16 .b8 dyn[];
.weak .global .u64 flags = (1 << 40) | (4 + 4) * 2;
.common .global .b32 shared_by_modules;
)");
    const Variable& counter = *module->variable("counter");
    CHECK(counter.space == Space::global);
    CHECK(counter.bytes == 4);
    CHECK(value_at<uint32_t>(counter, 0) == 7);
    const Variable& table = *module->variable("table");
    CHECK(table.space == Space::constant);
    CHECK(table.align == 16);
    CHECK(table.init == std::vector<uint8_t>{1, 2, 3, 4, 255});
    CHECK(module->variable("m")->managed);
    CHECK(module->variable("m")->init.empty());
    CHECK(value_at<float>(*module->variable("half"), 0) == 0.5f);
    CHECK(value_at<float>(*module->variable("one"), 0) == 1.0f);
    CHECK(value_at<float>(*module->variable("minus"), 0) == -1.0f);
    CHECK(value_at<double>(*module->variable("d"), 0) == 1.5);
    CHECK(value_at<double>(*module->variable("d"), 8) == 2.5);
    const Variable& grid = *module->variable("grid");
    CHECK(grid.bytes == 24);
    CHECK(value_at<uint32_t>(grid, 4) == 2);
    CHECK(value_at<uint32_t>(grid, 8) == 0);
    CHECK(value_at<uint32_t>(grid, 12) == 4);
    CHECK(value_at<uint32_t>(grid, 20) == 6);
    const Variable& quad = *module->variable("quad");
    CHECK(quad.bytes == 16);
    CHECK(quad.align == 16);
    CHECK(value_at<float>(quad, 4) == 2.0f);
    CHECK(module->variable("open")->bytes == 6);
    CHECK(module->variable("elsewhere")->is_extern);
    CHECK(module->variable("elsewhere")->bytes == 4);
    CHECK(module->variable("tile")->space == Space::shared);
    CHECK_FALSE(module->variable("tile")->dynamic);
    CHECK(module->variable("dyn")->dynamic);
    CHECK(module->variable("dyn")->bytes == 0);
    CHECK(module->variable("dyn")->align == 16);
    CHECK(value_at<uint64_t>(*module->variable("flags"), 0) == ((uint64_t{1} << 40) | 16));
    CHECK(module->variable("nothing") == nullptr);
}

TEST_CASE("addresses in initial values keep symbol and addend, also of names declared later") {
    const auto module = parse_module(R"(
.global .align 8 .u64 s[4] = {3, generic(text)+2, later, f};
.global .u64 single = generic(s);
.global .align 1 .b8 text[6] = {104, 105};
.global .u32 later;
.visible .func f() { ret; }
)");
    const Variable& s = *module->variable("s");
    REQUIRE(s.addresses.size() == 3);
    CHECK(s.addresses[0].offset == 8);
    CHECK(s.addresses[0].symbol == "text");
    CHECK(s.addresses[0].addend == 2);
    CHECK(s.addresses[0].generic);
    CHECK(s.addresses[1].symbol == "later");
    CHECK_FALSE(s.addresses[1].generic);
    CHECK(s.addresses[2].offset == 24);
    CHECK(s.init.size() == 32);
    CHECK(module->variable("single")->addresses.at(0).symbol == "s");
}

TEST_CASE("a declaration and its definition are one variable") {
    const auto module = parse_module(".extern .global .u32 x;\n.global .u32 x = 5;\n.extern .global .u32 x;");
    CHECK(module->variables.size() == 1);
    CHECK_FALSE(module->variables[0]->is_extern);
    CHECK(value_at<uint32_t>(*module->variables[0], 0) == 5);
}

TEST_CASE("types are known by name") {
    CHECK(type_named(".u32") == Type{Kind::unsigned_int, 32, false});
    CHECK(type_named("f16x2") == Type{Kind::floating, 32, true});
    CHECK(type_named(".bf16") == Type{Kind::brain_float, 16, false});
    CHECK(type_named("pred")->kind == Kind::predicate);
    CHECK(type_named(".b128")->bits == 128);
    CHECK_FALSE(type_named(".global"));
    CHECK_FALSE(type_named(""));
}
