// Correct code that must stay clean, and its nearest wrong neighbours.
#include <doctest/doctest.h>

#include "run.h"

TEST_CASE("correct programs are clean under every schedule") {
    for (const std::string& program : programs_in("clean"))
        SUBCASE(program.c_str()) {
            const auto notes = expected_rules(program); // notes that belong to it
            for (const auto& schedule : all_schedules()) {
                const Run result = run(program, schedule);
                CAPTURE(result.text());
                CAPTURE(result.output);
                CHECK(result.errors() == 0);
                CHECK(result.ending == "exit code 0");
                for (const auto& note : notes)
                    CHECK_MESSAGE(result.has(note), "not reported: " << note);
            }
        }
}

TEST_CASE("their wrong neighbours are reported by the rule that names the mistake") {
    for (const std::string& program : programs_in("wrong"))
        SUBCASE(program.c_str()) {
            const Run result = run(program);
            CAPTURE(result.text());
            CAPTURE(result.output);
            const auto rules = expected_rules(program);
            CHECK_FALSE(rules.empty());
            for (const auto& rule : rules)
                CHECK_MESSAGE(result.has(rule), "not reported: " << rule);
            for (const auto& finding : result.findings) {
                const bool expected = std::find(rules.begin(), rules.end(), finding.rule) != rules.end();
                CHECK_MESSAGE((expected || finding.note()), "also reported: " << finding.rule);
            }
            const std::string difference = compare_with_expected(program, result.text());
            CHECK_MESSAGE(difference.empty(), difference);
        }
}
