// The bodies of functions are parsed when they are asked for.
#include "helpers.h"

#include <doctest/doctest.h>

using namespace sim::ptx;

namespace {

std::unique_ptr<Module> declarations(const std::string& text) {
    return parse_declarations(".version 8.4\n.target sm_90a\n.address_size 64\n" + text);
}

std::string declarations_refusal(const std::string& text) {
    return refusal(declarations, text);
}

std::string body_of(const Module& module, const std::string& function) {
    return refusal([&](const std::string& name) { return module.function(name)->body().size(); }, function);
}

} // namespace

TEST_CASE("a body is parsed when it is asked for, and once") {
    const auto module = declarations(".entry a() { .reg .b32 %r; mov.b32 %r, 1; ret; }\n.entry b() { ret; }");
    const Function &a = *module->function("a"), &b = *module->function("b");
    CHECK(!a.is_parsed());
    CHECK(a.body().size() == 2);
    CHECK(&a.code() == &a.code());
    CHECK(a.is_parsed());
    CHECK(!b.is_parsed());
    CHECK(a.most_instructions >= a.body().size());
    CHECK(b.most_instructions >= b.body().size());
}

TEST_CASE("an error in a body is reported each time that the body is asked for, as if all were parsed") {
    const std::string text = ".entry good() { ret; }\n.entry bad() {\n mov.u32 %r1, 1;\n}\n.entry other() { ret; }";
    const std::string error = refusal(parse_module, text);
    CHECK(error.starts_with("PTX line 6: unknown name '%r1'"));
    const auto module = declarations(text);
    CHECK(body_of(*module, "good") == "");
    CHECK(body_of(*module, "other") == "");
    CHECK(body_of(*module, "bad") == error);
    CHECK(body_of(*module, "bad") == error);
}

TEST_CASE("an error outside bodies is reported at once, whatever stands before it") {
    CHECK(declarations_refusal(".entry a() {\n}\n.global .u32 x = y;") ==
          "PTX line 6: unknown name 'y' in an initial value");
    CHECK(declarations_refusal(".entry a() {\n // }\n /* } \n */ .pragma \"}\";\n}\n.bad") ==
          "PTX line 9: this parser does not know '.bad' at module level");
    CHECK(declarations_refusal(".entry a()\n{ ret;\n") == "PTX line 5: the body of 'a' is never closed: the text ends");
    CHECK(declarations_refusal(".entry a()\n{ ret; /* }\n") ==
          "PTX line 5: the body of 'a' is never closed: the text ends");
}

TEST_CASE("braces in comments and strings close nothing") {
    const auto module = declarations(R"(.entry a() {
    // } {
    /* } */
    .pragma "} \" }";
    { .reg .b32 x; { mov.b32 x, 4/2; } }
# 7 "file}"
    ret;
}
.entry b() { mov.b32 x, 1; }
)");
    CHECK(module->function("a")->body().size() == 2);
    CHECK(body_of(*module, "b").starts_with("PTX line 12:"));
}

TEST_CASE("a body knows the names that are declared before it, and no others") {
    const auto module = declarations(".extern .func late();\n.entry a() { call late; ret; }\n"
                                     ".entry b() { call later; ret; }\n.entry c() { .reg .b32 r; mov.b32 r, x; }\n"
                                     ".func late() { ret; }\n.func later() { ret; }\n.global .u32 x;\n"
                                     ".entry d() { .reg .b32 r; call later; ld.global.u32 r, [x]; ret; }");
    CHECK(body_of(*module, "a") == "");
    CHECK(body_of(*module, "b") == "PTX line 6: unknown function 'later'");
    CHECK(body_of(*module, "c").starts_with("PTX line 7: unknown name 'x'"));
    CHECK(body_of(*module, "d") == "");
}

TEST_CASE("bodies that declare what others may need are parsed with the module") {
    const auto module = declarations(R"(
.entry kernel() { .shared .b32 own; .reg .b32 r; ld.shared.u32 r, [own]; st.global.u32 [0], r; ret; }
.entry global() { .visible.global .u32 mine = 3; ret; }
.func  shared() { .shared .b32 of_all; ret; }
.func  none()   { .reg .b32 r; ld.shared.u32 r, [0]; ld.const.u32 r, [0]; ret; }
)");
    CHECK(!module->function("kernel")->is_parsed());
    CHECK(module->function("global")->is_parsed());
    CHECK(module->function("shared")->is_parsed());
    CHECK(!module->function("none")->is_parsed());
    CHECK(module->variable("mine") != nullptr);
    CHECK(declarations_refusal(".entry a() { .global .u32 x = }").starts_with("PTX line 4:"));
}

TEST_CASE("a .loc in front of a function belongs to its body") {
    const auto module = declarations(".loc 1 7 0\n.loc 1 8 0, inlined_at 1 7 0\n.entry a() { ret; }\n"
                                     ".entry b() { ret; }\n.file 1 \"a.cu\"");
    const SourceMap map(*module);
    CHECK(map.beginning(*module->function("a")).chain.at(0).place.line == 8);
    CHECK(!module->function("a")->is_parsed());
    CHECK(map.lines(*module->function("a"), 0).at(0).line == 8);
    CHECK(map.lines(*module->function("b"), 0).empty());
}

TEST_CASE("the beginning of a body is known without the rest of it") {
    const auto module = declarations(
        ".entry a() {\n.loc 1 5 0\nbra L;\n.loc 1 6 0\nL: mov.b32 x, 1;\n}\n.entry b() { mov.b32 [x], 1; }\n"
        ".extern .func c();\n.file 1 \"a.cu\"");
    const SourceMap map(*module);
    CHECK(map.beginning(*module->function("a")).chain.at(0).place.line == 5);
    CHECK_THROWS_AS(map.beginning(*module->function("b")), ParseError);
    CHECK(map.beginning(*module->function("c")).chain.empty());
}
