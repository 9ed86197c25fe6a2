#include "compile/comments.h"

#include <doctest/doctest.h>

using compile::blank_comments;

namespace {

bool alike(const char* one, const char* other) {
    return blank_comments(one) == blank_comments(other);
}

} // namespace

TEST_CASE("sources that differ in comments alone are alike") {
    CHECK(alike("int a; // one\nint b;\n", "int a;\nint b; // another\n"));
    CHECK(alike("/* one */ int a;\n", "/* two */ int a;\n"));
    CHECK(alike("/* a\n \" b */ int a;\n", "/*   \n   c */ int a;\n"));
    CHECK(alike("auto s = \"//\"; // one\n", "auto s = \"//\";\n"));
    CHECK(alike("int n = 1'000; // it's\n", "int n = 1'000;\n"));
    CHECK(alike("char c = u8'\"'; auto s = \"a\"; // b\n", "char c = u8'\"'; auto s = \"a\";\n"));
}

TEST_CASE("sources in which code is another or elsewhere are not") {
    CHECK(!alike("int a; // one\n", "int b; // one\n"));
    CHECK(!alike("// one\nint a;\n", "int a;\n"));         // another line
    CHECK(!alike("/* one */ int a;\n", "/* */ int a;\n")); // another column
    CHECK(!alike("/* a */ int a;\n", "/* a  int a; */\n"));
    CHECK(!alike("auto s = \"// one\";\n", "auto s = \"// two\";\n"));
    CHECK(!alike("char c = u8'\"'; auto s = \"//a\";\n", "char c = u8'\"'; auto s = \"//b\";\n"));
    CHECK(!alike("int n = 0x1'0; char c = '\"', d = '/'; f(\"//a\");\n",
                 "int n = 0x1'0; char c = '\"', d = '/'; f(\"//b\");\n"));
}

TEST_CASE("where it is not plain what a comment is, every character counts") {
    CHECK(!alike("auto s = R\"(\n// a\n)\";\n", "auto s = R\"(\n// b\n)\";\n"));
    CHECK(!alike("auto s = \"\\\n// a\";\n", "auto s = \"\\\n// b\";\n"));
    CHECK(!alike("#include <a//b>\n", "#include <a//c>\n"));
    CHECK(!alike("/* */ #include <a//b>\n", "/* */ #include <a//c>\n"));
    CHECK(!alike("/*\n*/ #include <a//b>\n", "/*\n*/ #include <a//c>\n"));
    CHECK(!alike("%:include <a//b>\n", "%:include <a//c>\n"));
    CHECK(!alike("#define A /* \n // a */ int a;\n", "#define A /* \n // b */ int b;\n"));
    CHECK(!alike("// a \\\nint a;\n", "// a\nint a;\n"));
}
