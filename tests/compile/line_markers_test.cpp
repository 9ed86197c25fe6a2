// What a preprocessor's output and a source's questions say of the files that came in.
#include <doctest/doctest.h>

#include "compile/dependencies/dependencies.h"
#include "compile/dependencies/line_markers.h"
#include "compile/dependencies/questions.h"

using compile::line_markers;
using compile::questions;

TEST_CASE("files that are entered and lines that are named") {
    const auto found =
        line_markers("# 0 \"<built-in>\"\n# 1 \"/a/b.h\" 1 3 4\nint x;\n# 7 \"c \\\"d\\\".cu\"\n#pragma x\n");
    REQUIRE(found.size() == 2);
    CHECK((found[0].file == "/a/b.h" && found[0].entered));
    CHECK((found[1].file == "c \"d\".cu" && !found[1].entered));
    CHECK(line_markers("# 5 \"no end\n# x\n#\n# 5\n#5 \"a\"\n").empty());
}

TEST_CASE("a name of any length is read") {
    const std::string name(300'000, 'a');
    const auto found = line_markers("# 1 \"" + name + "\"\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].file == name);
}

TEST_CASE("questions for headers") {
    CHECK(questions("#if __has_include(<a/b.h>)\n#elif __has_include_next ( \"c.h\" )\n").headers ==
          std::set<std::string>{"a/b.h", "c.h"});
    CHECK(questions("#if __has_\\\ninclude(<a.h>)\n").headers == std::set<std::string>{"a.h"});
    CHECK(questions("#if LIB_HAS_INCLUDE(<a.h>)\n").headers == std::set<std::string>{"a.h"});
    CHECK_FALSE(questions("#ifdef __has_include\n#include \"a.h\"\n").unknown);
    for (const char* text : {"#if __has_include(NAME)\n", "asm(\".incbin \\\"a\\\"\");", "# embed \"a\"\n"})
        CHECK(questions(text).unknown);
    CHECK_FALSE(questions("int embed; // #embedded\n").unknown);
}

TEST_CASE("folders that a compiler searches") {
    CHECK(
        compile::ignored_folders("ignoring duplicate directory \"/a\"\nignoring nonexistent directory \"/b c\"\nx\n") ==
        std::vector<std::filesystem::path>{"/b c"});
    CHECK(compile::search_folders(
              "x\n#include \"...\" search starts here:\n q\n#include <...> search starts here:\n /a b\n"
              "End of search list.\n /c\n") == std::vector<std::filesystem::path>{"q", "/a b"});
}
