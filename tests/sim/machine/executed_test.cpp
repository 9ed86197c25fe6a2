// Which instructions were executed, and how: each is counted once, however often threads execute it.
#include <algorithm>

#include <doctest/doctest.h>

#include "kernel.h"
#include "sim/device/device.h"

using sim::machine::Executed;

namespace {

bool holds(const std::vector<Executed::Site>& places, std::string_view what, bool judged = true) {
    return std::ranges::any_of(places, [&](const auto& place) { return place.what == what && place.judged == judged; });
}

} // namespace

TEST_CASE("an instruction is counted once, in loops and by all threads") {
    const Executed none = run("", 64, {2, 32}).executed;
    const Executed some =
        run("mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra L;", 64, {2, 32}).executed;
    CHECK(some.exactly == none.exactly + 4);
    CHECK(none.approximately.empty());
    CHECK(none.refused.empty());
    CHECK(none.not_reached == 0);
}

TEST_CASE("what no thread comes to is not reached, whatever it is") {
    const Executed all = run("ret; ex2.approx.f32 %r2, %r3; frobnicate.u32 %r2, %r3;", 32).executed;
    CHECK(all.not_reached == 3); // and the last ret
    CHECK(all.approximately.empty());
    CHECK(all.refused.empty());
    CHECK(run("setp.ge.u32 %p1, %r1, 64; @%p1 ex2.approx.f32 %r2, %r3;", 32).executed.not_reached == 1);
}

TEST_CASE("approximate forms are distinguished from exact ones") {
    CHECK(holds(run("sqrt.approx.f32 %r2, %r3;", 32).executed.approximately, "sqrt.approx.f32"));
    CHECK(run("sqrt.rn.f32 %r2, %r3;", 32).executed.approximately.empty());
    CHECK(holds(run("div.full.f32 %r2, %r3, %r3;", 32).executed.approximately, "div.full.f32"));
    CHECK(run("div.rn.f32 %r2, %r3, %r3;", 32).executed.approximately.empty());
    CHECK(run("div.u32 %r2, %r3, %r31;", 32).executed.approximately.empty());
    CHECK(holds(run("ex2.approx.ftz.f32 %r2, %r3;", 32).executed.approximately, "ex2.approx.ftz.f32"));
    CHECK(holds(run("mov.u64 %rd3, %globaltimer;", 32).executed.approximately, "mov.u64"));
    CHECK(run("mov.u32 %r2, %laneid;", 32).executed.approximately.empty());
    CHECK(holds(run("mov.u32 %r2, %is_explicit_cluster;", 32).executed.approximately, "mov.u32"));
    CHECK(holds(run("nanosleep.u32 20;", 32).executed.approximately, "nanosleep.u32"));
}

TEST_CASE("an effect on memory that is not followed is not judged; a hint has none") {
    CHECK(holds(run("discard.global.L2 [%rd1], 128;", 32).executed.approximately, "discard.global.L2", false));
    const Executed hint = run("prefetch.global.L2 [%rd1];", 32).executed;
    CHECK(hint.approximately.empty());
}

TEST_CASE("what the device does not have is refused, with the reason") {
    const Executed all = run("alloca.u32 %r2, 16;", 32).executed;
    REQUIRE(all.refused.size() == 1);
    CHECK(all.refused[0].what == "alloca.u32");
    CHECK(all.refused[0].how.find("not part of the simulated device") != std::string::npos);
}

TEST_CASE("schedules are joined: each place once, the larger numbers") {
    Executed one{5, 2, {{"a", "", "k.cu", 1, true}}, {}},
        other{6, 1, {{"a", "", "k.cu", 1, true}, {"b", "", "", 0, true}}, {}};
    one.join(other);
    CHECK(one.exactly == 6);
    CHECK(one.not_reached == 1);
    CHECK(one.approximately.size() == 2);
    one.join({});
    CHECK(one.exactly == 6);
}
