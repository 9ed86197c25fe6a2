// Which headers a compiler may have read before it knows the program.
#include <algorithm>

#include <doctest/doctest.h>

#include "compile/servers/headers.h"
#include "compile/servers/plan.h"

using servers::split;

TEST_CASE("leading headers are taken out, and every line keeps its number") {
    const auto parts =
        split("// A lab.\n#include \"lab.h\"\n\n#include <cuda/barrier> // for it\n#pragma once\nint x;\n");
    CHECK(parts.headers == "#include \"lab.h\"\n#include <cuda/barrier>\n");
    CHECK(std::count(parts.rest.begin(), parts.rest.end(), '\n') == 6);
    CHECK(parts.rest.find("#include") == std::string::npos);
    CHECK(parts.rest.find("int x;") != std::string::npos);
}

TEST_CASE("a header behind code, a macro or a condition stays where it is") {
    for (const char* before : {"int x;\n", "#define A 1\n", "#if A\n", "#pragma nv_diag_suppress 1\n", "\"text\"\n"})
        CHECK(split(std::string(before) + "#include <cmath>\n").headers.empty());
    CHECK(split("#include <cmath>\n#define A\n#include <cstdio>\n").headers == "#include <cmath>\n");
}

TEST_CASE("a file's own header stays, and what follows it") {
    CHECK(split("#include <cmath>\n#include \"mine.h\"\n#include <cstdio>\n").headers == "#include <cmath>\n");
}

TEST_CASE("what comes behind the headers that a compiler has read belongs to the rest") {
    const char* source = "#include \"lab.h\"\n#include <cmath>\nint x;\n";
    const auto parts = split(source, "#include \"lab.h\"\n");
    CHECK(parts.headers == "#include \"lab.h\"\n");
    CHECK(parts.rest.find("#include <cmath>\nint x;\n") != std::string::npos);
    CHECK(split(source, "#include <cmath>\n").headers == "#include \"lab.h\"\n#include <cmath>\n");
}

TEST_CASE("what only looks like a header stays") {
    CHECK(split("/* #include <cmath>\n */ int x;").headers.empty());
    CHECK(split("#include MACRO\n").headers.empty());
    CHECK(split("#include <cmath> \\\n").headers.empty());
    CHECK(split("").headers.empty());
    CHECK(split("/* never closed").headers.empty());
    CHECK(split("#include <" + std::string(300'000, 'a')).headers.empty());
    CHECK(split("#include <a b>\n").headers.empty());
    CHECK(split("#includes <a>\n").headers.empty());
}

TEST_CASE("the words of a command are those that the shell sees") {
    CHECK(servers::words(R"(a "b c"  -D"x"=1 d\ e "")") == servers::Words{"a", "b c", "-Dx=1", "d e", ""});
}
