// The folder, its list and its tests belong together.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "sim/instructions/list.h"

namespace fs = std::filesystem;

namespace tree_test {

const fs::path root = SOURCE_ROOT;

std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Does a test contain the mnemonic, followed by a modifier or an operand?
bool tested(const std::string& tests, std::string_view name) {
    for (auto at = tests.find(name); at != std::string::npos; at = tests.find(name, at + 1)) {
        const char before = at ? tests[at - 1] : ' ';
        const char after = at + name.size() < tests.size() ? tests[at + name.size()] : ' ';
        if (!std::isalnum(static_cast<unsigned char>(before)) && before != '.' && before != '_' &&
            (after == '.' || after == ' ' || after == ';' || after == '"'))
            return true;
    }
    return false;
}

TEST_CASE("every file that defines records is listed in meson.build") {
    const fs::path folder = root / "common/sim/instructions";
    const std::string list = text_of(folder / "meson.build");
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".cpp" && text_of(entry.path()).find("\nINSTRUCTIONS(") != std::string::npos)
            CHECK_MESSAGE(list.find("    '" + entry.path().stem().string() + "',") != std::string::npos,
                          entry.path().filename().string());
}

TEST_CASE("every listed instruction has a test") {
    std::string tests;
    for (const auto& entry : fs::recursive_directory_iterator(root / "tests/sim"))
        if (const auto extension = entry.path().extension();
            extension == ".cpp" || extension == ".cu" || extension == ".ptx")
            if (entry.path().filename() != "tree_test.cpp")
                tests += text_of(entry.path());
    for (const auto* record : sim::instructions::all_instructions()) {
        if (record->syntax.empty()) // refused by name
            continue;
        CHECK_MESSAGE(tested(tests, record->name), std::string(record->name));
    }
}

TEST_CASE("every record says where the manual describes it") {
    for (const auto* record : sim::instructions::all_instructions()) {
        CHECK_MESSAGE(!record->manual.empty(), std::string(record->name));
        CHECK_MESSAGE(record->isa >= 10, std::string(record->name));
        CHECK(bool(record->decode));
    }
}

} // namespace tree_test
