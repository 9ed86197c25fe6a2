#include <doctest/doctest.h>

#include "base/text.h"

using base::columns;
using base::shortened;
using base::wrapped;

TEST_CASE("columns: characters, not bytes") {
    CHECK(columns("") == 0);
    CHECK(columns("abc") == 3);
    CHECK(columns("32 × 32 …") == 9);
}

TEST_CASE("paragraphs are broken at blanks, at most that wide") {
    CHECK(wrapped("one two three", "", 7) == "one two\nthree\n");
    CHECK(wrapped("one two three", "", 0) == "one two three\n");
    CHECK(wrapped("one two three", "  ", 9) == "  one two\n  three\n");
    CHECK(wrapped("", "  ", 9) == "");
    for (const size_t width : {10, 20, 33}) {
        const std::string text =
            wrapped("Threads of a warp run together over registers laid out lane by lane.", "", width);
        size_t begin = 0;
        for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
            CHECK(end - begin <= width);
    }
}

TEST_CASE("a word that is too long stays whole, on a line of its own") {
    CHECK(wrapped("a cudaFuncAttributeMaxDynamicSharedMemorySize b", "", 10) ==
          "a\ncudaFuncAttributeMaxDynamicSharedMemorySize\nb\n");
}

TEST_CASE("lines stay lines, and what is indented further stays so") {
    CHECK(wrapped("one\ntwo", "", 80) == "one\ntwo\n");
    CHECK(wrapped("list:\n  an item that is long", "> ", 14) == "> list:\n>   an item\n>   that is\n>   long\n");
}

TEST_CASE("what is shortened fits, and ends with a whole character") {
    CHECK(shortened("short", 5) == "short");
    CHECK(shortened("a long name of a case", 10) == "a long …");
    for (size_t width = 4; width < 12; ++width) {
        const std::string text = shortened("××××××××××××", width);
        CHECK(columns(text) <= width);
        CHECK(text.size() % 2 == 1); // two bytes a character, three for the dots
    }
}
