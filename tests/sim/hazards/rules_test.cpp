// Every rule's record carries a program that it reports, and the nearest correct one.
#include <doctest/doctest.h>

#include <algorithm>

#include "run.h"
#include "sim/rules/rule.h"
#include "sources.h"

using sim::hazards::Rule;

namespace {

std::vector<const Rule*> chosen_rules() {
    std::vector<const Rule*> rules(sim::hazards::rules().begin(), sim::hazards::rules().end());
    std::erase_if(rules, [](const Rule* rule) { return !is_chosen(rule->name, ""); });
    return rules;
}

} // namespace

TEST_CASE("every rule says why, what to do, where the manual says so, and shows a pair of programs") {
    for (const Rule* rule : sim::hazards::rules()) {
        CAPTURE(rule->name);
        CHECK(rule->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
        CHECK_FALSE(rule->title.empty());
        CHECK(rule->why.text().size() > 100);
        CHECK_FALSE(rule->remedy.text().empty());
        CHECK(rule->manual.starts_with("https://docs.nvidia.com/"));
        CHECK_FALSE(rule->wrong.empty());
        CHECK(rule->changes.starts_with('\n'));
        CHECK(rule->wrong != rule->right());
    }
}

TEST_CASE("the wrong program of each rule is reported by that rule and no other") {
    for (const Rule* rule : chosen_rules()) {
        const std::string name(rule->name);
        SUBCASE(name.c_str()) {
            const bool note = rule->severity == sim::hazards::Severity::note;
            const Run wrong = run(name + ".wrong");
            CAPTURE(wrong.text());
            CAPTURE(wrong.output);
            CHECK(wrong.has(name));
            for (const auto& finding : wrong.findings)
                if (!note || !finding.note())
                    CHECK_MESSAGE((finding.rule == name || finding.note()), "also reported: " << finding.rule);
            const std::string difference = compare_with_report(name, wrong.text());
            CHECK_MESSAGE(difference.empty(), difference);
        }
    }
}

TEST_CASE("the right program of each rule is clean under every schedule") {
    for (const Rule* rule : chosen_rules()) {
        const std::string name(rule->name);
        SUBCASE(name.c_str()) {
            for (const auto& schedule : all_schedules()) {
                const Run right = run(name + ".right", schedule);
                CAPTURE(right.text());
                CAPTURE(right.output);
                CAPTURE(schedule.seed);
                CHECK(right.errors() == 0);
                CHECK_FALSE(right.has(name));
                CHECK(right.ending == "exit code 0");
            }
        }
    }
}

TEST_CASE("what a block leaves behind at its end is reported under every schedule") {
    for (const char* rule :
         {"exit-before-completion", "exit-before-peer-access", "leftover-arrivals", "missing-dependency-wait"})
        for (const auto& schedule : all_schedules()) {
            const Run wrong = run(std::string(rule) + ".wrong", schedule);
            CAPTURE(wrong.text());
            CAPTURE(schedule.seed);
            CHECK_MESSAGE(wrong.has(rule), "not reported: " << std::string(rule));
        }
}

TEST_CASE("every whole report is one of a rule's example or of a program") {
    const auto known = sources(HAZARD_TESTS, HAZARD_MADE);
    for (const std::string& name : reports())
        CHECK_MESSAGE((sim::hazards::find_rule(name) || std::ranges::find(known, name, &Source::name) != known.end()),
                      "there is no program " << name);
}
