// What people read of a compiler's and a linker's messages, which hold what a stranger has written.
#include <doctest/doctest.h>

#include "compile/messages.h"

using compile::shorten_errors;
using compile::without_own_files;

TEST_CASE("places become those that editors open") {
    CHECK(shorten_errors("/x/kernel.cu(41): error: no\n", "/y") == "/x/kernel.cu:41: error: no\n");
    CHECK(shorten_errors("a(b)(7): warning: no\n", "/y") == "a(b):7: warning: no\n");
    for (const char* line :
         {"(41): error\n", "a (41): error\n", "a(x): error\n", "a(41):\n", "a(41) : error\n", "a(): error\n"})
        CHECK(shorten_errors(line, "/y") == line);
}

TEST_CASE("what follows from the first errors is left out") {
    CHECK(shorten_errors("1 error detected in the compilation of \"a.cu\".\n \t\nRemark: x\n", "/y").empty());
    std::string many;
    for (int i = 0; i < 30; ++i)
        many += "a(1): error: no\n";
    CHECK(shorten_errors(many, "/y").ends_with("… and 6 more lines\n"));
}

TEST_CASE("a line of any length is cut") {
    for (const std::string& name : {std::string(300'000, 'a'), std::string(300'000, '('), std::string(300'000, '/')}) {
        const std::string said = shorten_errors(name + "(1): error: no\n" + name + "\n", "/y");
        CHECK(said.size() == 802);
        CHECK(without_own_files(name) == name);
    }
}

TEST_CASE("a linker's names for the source are the user's") {
    CHECK(without_own_files("in /tmp/tmpxft_00000f00_00000000-6_kernel.cudafe1.cpp:(.text+0x1)") ==
          "in kernel.cu:(.text+0x1)");
    CHECK(without_own_files("tmpxft_00000f00_00000000-6_my_kernel.cudafe1.cpp") == "my_kernel.cu");
    CHECK(without_own_files("/a/trace/kernel.cudafe1.cpp: /b/k.cudafe1.cpp") == "kernel.cu: k.cu");
    CHECK(without_own_files("kernel.cu: cudafe1") == "kernel.cu: cudafe1");
}
