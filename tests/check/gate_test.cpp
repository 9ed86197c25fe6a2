// When the cases behind a lab's gate earn nothing. That labs keep to it is what tests/labs/corpus.py shows.
#include <doctest/doctest.h>

#include "check/gate.h"

namespace {

using check::Verdict;

check::RunResult result(Verdict verdict, uint64_t right = 0, uint64_t compared = 0) {
    check::RunResult one;
    one.verdict = verdict;
    one.right = right;
    one.compared = compared;
    one.message = verdict == Verdict::mechanism ? "expected: cp.async" : "";
    return one;
}

std::string why(Verdict gate, const std::vector<check::SecondLook>& looks = {}) {
    return check::why_unearned(result(gate), looks);
}

} // namespace

TEST_CASE("a gate that passes, or fails by a hazard or a few wrong results, lets the other cases earn") {
    CHECK(why(Verdict::passed).empty());
    const auto right = result(Verdict::passed, 9, 10), wrong = result(Verdict::passed, 1, 10);
    for (const Verdict verdict : {Verdict::hazard, Verdict::wrong}) {
        CHECK(check::calls_for_second_looks(result(verdict)));
        CHECK(why(verdict, {{0, right}, {0, right}}).empty());
        CHECK(why(verdict, {{0, wrong}, {0, right}}).empty()); // right in one look at the target
        CHECK(why(verdict, {{0, wrong}, {0, right}, {1, right}, {1, wrong}}).empty());
    }
}

TEST_CASE("a gate that gets its result by other means, or none, lets them earn nothing") {
    CHECK(why(Verdict::mechanism) == "gets its result by other means");
    CHECK(why(Verdict::incomplete) == "was not judged to its end");
    for (const Verdict verdict : {Verdict::crash, Verdict::timeout, Verdict::cuda_error, Verdict::not_supported}) {
        CHECK_FALSE(check::calls_for_second_looks(result(verdict)));
        CHECK(why(verdict) == "does not run to its end");
    }
    const auto right = result(Verdict::passed, 10, 10), half = result(Verdict::passed, 5, 10);
    CHECK(why(Verdict::hazard) == "does not run to its end"); // nothing was looked at
    CHECK(why(Verdict::hazard, {{0, right}, {0, result(Verdict::mechanism)}}) ==
          "also lacks the mechanism (expected: cp.async)");
    CHECK(why(Verdict::wrong, {{0, right, false}, {0, result(Verdict::timeout)}}) == "does not run to its end");
    CHECK(why(Verdict::wrong, {{0, right}, {0, result(Verdict::hazard), false}})
              .empty()); // a deadlock if copies are early
    CHECK(why(Verdict::wrong, {{0, half}, {0, result(Verdict::hazard), false}}) == "does not run to its end");
    CHECK(why(Verdict::wrong, {{0, right}, {0, right}, {1, right, false}, {1, result(Verdict::hazard)}}) ==
          "does not run to its end");
    CHECK(why(Verdict::wrong, {{0, half}, {0, half}}) == "has mostly wrong results");
    CHECK(why(Verdict::wrong, {{0, right}, {0, right}, {1, half}, {1, half}}) == "has mostly wrong results");
    CHECK(why(Verdict::wrong, {{0, result(Verdict::passed)}}) == "has mostly wrong results"); // none was compared
}

TEST_CASE("a gate whose copies overlap less than they should lets the other cases earn") {
    auto part = result(Verdict::mechanism);
    part.partly = true;
    CHECK(check::why_unearned(part, {}).empty());
    auto look = result(Verdict::mechanism, 9, 10);
    look.partly = true;
    CHECK(why(Verdict::hazard, {{0, look}, {0, look}}).empty());
}

TEST_CASE("second looks: copies as late as possible, then as early as possible, each repeated with other values") {
    check::RunConfig run;
    run.data_seed = 5;
    const auto looks = check::second_looks(run);
    REQUIRE(looks.size() == 2);
    using Completion = sim::machine::Schedule::Completion;
    CHECK(looks[0].schedule.completion == Completion::lazy);
    CHECK(looks[1].schedule.completion == Completion::eager);
    for (const auto& look : looks) {
        CHECK(look.means);
        CHECK(look.repeat);
        CHECK(look.data_seed == 5);
    }
}
