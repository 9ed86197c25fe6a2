// Correct code that must stay clean, and its nearest wrong neighbours.
#include <doctest/doctest.h>

#include <algorithm>

#include <fmt/ranges.h>

#include "run.h"
#include "sources.h"

namespace {

std::vector<Source> programs(std::string_view kind) {
    static const auto all = sources(HAZARD_TESTS, HAZARD_MADE); // doctest comes here once for each program
    auto chosen = all;
    std::erase_if(chosen, [&](const Source& source) { return !source.name.starts_with(kind); });
    return chosen;
}

std::string places(const Run& result) {
    std::vector<std::string> all;
    for (const auto& finding : result.findings)
        all.push_back(place_of(finding.severity, finding.rule, finding.line, finding.others));
    return fmt::format("{}", fmt::join(all, "\n"));
}

} // namespace

TEST_CASE("correct programs are clean under every schedule") {
    for (const Source& program : programs("clean/"))
        SUBCASE(program.name.c_str()) {
            for (const auto& schedule : all_schedules()) {
                const Run result = run(program.name, schedule);
                CAPTURE(result.text());
                CAPTURE(result.output);
                CHECK(result.errors() == 0);
                CHECK(result.ending == "exit code 0");
                for (const auto& note : said(program.text, "expect"))
                    CHECK_MESSAGE(result.has(note), "not reported: " << note);
            }
        }
}

TEST_CASE("their wrong neighbours are reported by the rule that names the mistake, where it is") {
    const auto whole = reports();
    for (const Source& program : programs("wrong/"))
        SUBCASE(program.name.c_str()) {
            const Run result = run(program.name);
            CAPTURE(result.text());
            CAPTURE(result.output);
            if (std::ranges::find(whole, program.name) != whole.end()) { // pages quote it
                const std::string difference = compare_with_report(program.name, result.text());
                CHECK_MESSAGE(difference.empty(), difference);
                continue;
            }
            const auto expected = expected_places(program.text);
            CHECK_FALSE(expected.empty());
            CHECK(places(result) == fmt::format("{}", fmt::join(expected, "\n")));
            for (const auto& part : said(program.text, "says"))
                CHECK_MESSAGE(result.text().find(part) != std::string::npos, "no report says: " << part);
        }
}
