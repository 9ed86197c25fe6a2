// Broken PTX must give ParseError: never a crash, an endless loop or another exception.
#include "helpers.h"

#include <doctest/doctest.h>

#include <random>

using namespace sim::ptx;

namespace {

/// Parses and walks over everything that refers to something else.
void try_parse(const std::string& text) {
    try {
        const auto module = parse(text);
        const SourceMap map(*module);
        for (const auto& function : module->functions) {
            for (uint32_t i = 0; i < function->body().size(); ++i) {
                for (const Operand& operand : function->body()[i].operands) {
                    if (operand.kind == Operand::Kind::reg)
                        REQUIRE(operand.index < function->code().registers.size());
                    if (operand.kind == Operand::Kind::label)
                        REQUIRE(operand.index < function->body().size());
                    if (operand.kind == Operand::Kind::variable)
                        REQUIRE(operand.variable != nullptr);
                }
                map.lines(*function, i);
                map.chain(*function, i);
            }
            for (const auto& [label, targets] : function->code().branch_targets)
                for (const uint32_t target : targets)
                    REQUIRE(target < function->body().size());
        }
    } catch (const ParseError& error) {
        REQUIRE(error.line > 0);
        REQUIRE(std::string(error.what()).size() > 10);
    }
}

/// A short text with every kind of construct, so that most changes hit something.
std::string sample() {
    std::string text = read_data("language.sm_90a.ptx");
    const size_t entry = text.find(".visible .entry _Z2clPi");
    const size_t tail = text.find("\t.file");
    const size_t head = text.find("// .globl");
    return text.substr(0, head) + "\n.func _Z4facti(.param .b32 x) { ret; }\n" + text.substr(entry, tail - entry) +
           text.substr(tail, 3000);
}

} // namespace

TEST_CASE("truncated PTX is refused or accepted, never more") {
    const std::string text = sample();
    for (size_t length = 0; length < text.size(); length += 13)
        try_parse(text.substr(0, length));
}

TEST_CASE("PTX with changed characters is refused or accepted, never more") {
    const std::string text = sample();
    std::mt19937 random(7);
    const std::string_view characters = "{}[]()<>;:,.@!|%_$\"/*+-=0129afxUrZ \n\t\\\0\xff";
    for (int round = 0; round < 2500; ++round) {
        std::string mutated = text;
        for (int changes = static_cast<int>(random() % 4); changes >= 0; --changes) {
            const size_t at = random() % mutated.size();
            switch (random() % 4) {
            case 0:
                mutated[at] = characters[random() % characters.size()];
                break;
            case 1:
                mutated.erase(at, random() % 40);
                break;
            case 2:
                mutated.insert(at, mutated.substr(random() % mutated.size(), random() % 60));
                break;
            default:
                mutated.insert(at, 1, characters[random() % characters.size()]);
            }
        }
        try_parse(mutated);
    }
}

TEST_CASE("PTX with exchanged lines is refused or accepted, never more") {
    const std::string whole = read_data("stages.sm_90.ptx");
    const std::string text = whole.substr(0, whole.find("\t.section")); // exchange instructions, not debug data
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size() - 1);
        lines.push_back(text.substr(at, end + 1 - at));
        at = end + 1;
    }
    std::mt19937 random(11);
    for (int round = 0; round < 400; ++round) {
        auto changed = lines;
        for (int changes = 0; changes < 3; ++changes) {
            const size_t a = random() % changed.size(), b = random() % changed.size();
            if (random() % 2 == 0)
                std::swap(changed[a], changed[b]);
            else
                changed.insert(changed.begin() + static_cast<long>(a), changed[b]);
        }
        std::string joined;
        for (const std::string& line : changed)
            joined += line;
        try_parse(joined);
    }
}
