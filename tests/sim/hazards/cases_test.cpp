// Correct code that must stay clean, and its nearest wrong neighbours.
#include <doctest/doctest.h>

#include <algorithm>

#include <fmt/ranges.h>

#include "base/changes.h"
#include "run.h"
#include "sim/machine/progress.h"
#include "sources.h"

namespace {

std::vector<Source> programs(std::string_view kind) {
    static const auto all = sources(HAZARD_TESTS, HAZARD_MADE); // doctest comes here once for each program
    auto chosen = all;
    std::erase_if(chosen, [&](const Source& source) { return !source.chosen || !source.name.starts_with(kind); });
    return chosen;
}

std::string places(const Run& result) {
    std::vector<std::string> all;
    for (const auto& finding : result.findings)
        all.push_back(place_of(finding.severity, finding.rule, finding.line, finding.others));
    return fmt::format("{}", fmt::join(all, "\n"));
}

} // namespace

TEST_CASE("changes that do not fit are refused") {
    constexpr std::string_view text = "a\nb\n\na\nc\n";
    CHECK(base::with_changes(text, "-b\n+B\n\n c\n+d\n") == "a\nB\n\na\nc\nd\n");
    CHECK(base::with_changes(text, " b\n-a\n+e\n") == "a\nb\n\ne\nc\n"); // an empty line does not count, and stays
    CHECK(base::with_changes(text, "") == text);
    CHECK_THROWS_WITH(base::with_changes(text, "-x\n"), "this block does not stand in the base, from: x");
    CHECK_THROWS_WITH(base::with_changes(text, "-a\n"), "this block stands in the base more than once, from: a");
    CHECK_THROWS_WITH(base::with_changes(text, " c\n+d\n\n-b\n"),
                      "this block belongs before the one above it, from: b");
    CHECK_THROWS_WITH(base::with_changes(text, "+d\n"),
                      "this block only adds lines: begin or end it with a line of the base, from: +d");
    CHECK_THROWS_WITH(base::with_changes(text, "x\n"), "a line of a block begins with a blank, + or -: x");
}

TEST_CASE("marks say what is reported where") {
    const auto places = expected_places("a; // other 2, error 1: x-y\nb; // c // note 2: z\n\n    // other 1\n"
                                        "c; // error: no\n/*\n== clean/d\n");
    CHECK(places == std::vector<std::string>{"error: no, line 5", "error: x-y, line 1; also lines 3",
                                             "note: z, line 2; also lines 1"});
    CHECK(said("// about\n// says: x\n// expect: y\ncode // says: z\n", "says") == std::vector<std::string>{"x"});
}

TEST_CASE("there are programs with what ASYNCLAB_ONLY says") {
    CHECK_FALSE(programs("").empty());
}

TEST_CASE("correct programs are clean under every schedule") {
    for (const Source& program : programs("clean/"))
        SUBCASE(program.name.c_str()) {
            for (const auto& schedule : all_schedules()) {
                const Run result = run(program.name, schedule);
                CAPTURE(result.text());
                CAPTURE(result.output);
                CHECK(result.errors() == 0);
                CHECK(result.ending == "exit code 0");
                if (!said(program.text, "orders").empty())
                    CHECK(result.not_all == "");
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

TEST_CASE("on several cores they are reported as on one") {
    const uint64_t before = sim::machine::divided_so_far;
    for (const char* several_blocks : {"clean/gemm", "clean/cluster", "clean/tensor", "wrong/cluster", "wrong/tensor"})
        for (const Source& program : programs(several_blocks)) {
            const Run one = run_on_cores(program.name, 1), several = run_on_cores(program.name, 3);
            CAPTURE(program.name);
            CHECK(several.text() == one.text());
            CHECK(several.output == one.output);
            CHECK(several.ending == one.ending);
            CHECK(several.not_all == one.not_all);
        }
    CHECK((sim::machine::divided_so_far > before || !is_chosen("everything", "")));
}

TEST_CASE("the device repeats the order in which the protocol check has found a deadlock") {
    const Run found = run("wrong/order_pairs_at_a_named_barrier");
    REQUIRE(found.findings.size() == 1);
    REQUIRE(found.order);
    CHECK(found.wrong);
    CHECK(found.ending == "exit code 0");
    const Run repeated = replay("wrong/order_pairs_at_a_named_barrier", found.order);
    CAPTURE(repeated.text());
    CHECK(repeated.ending != "exit code 0");
    CHECK(places(repeated) == places(found));
    for (const char* who : {"block 0 warp 3", "32 of 64 threads have arrived"}) {
        CHECK(found.text().find(who) != std::string::npos);
        CHECK(repeated.text().find(who) != std::string::npos);
    }
}

TEST_CASE("an order that goes well is repeated to its end") {
    const Run found = run("clean/order_any_two_may_meet");
    CHECK(found.order);
    CHECK_FALSE(found.wrong);
    CHECK(found.findings.empty());
    CHECK(found.ending == "exit code 0");
}
