// tcgen05 and Tensor Memory, step by step.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "recorded.h"

namespace {

/// A product of M = 64 and N = 8 by thread 0, and the load of its result; `await` is what comes between.
Recorded multiply(const std::string& await) {
    return record(R"(
    .shared .align 128 .b8 matrices[2304];
    .shared .align 4 .b8 address[4];
    setp.ne.u32 %p1, %r1, 0;
    mov.u32 %r5, full;
    @!%p1 mbarrier.init.shared.b64 [%r5], 1;
    mov.u32 %r7, address;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r7], 32;
    ld.shared.u32 %r8, [%r7];
    mov.u32 %r9, matrices;
    shr.u32 %r9, %r9, 4;
    cvt.u64.u32 %rd4, %r9;
    or.b64 %rd4, %rd4, 0x401000080000;
    add.u64 %rd5, %rd4, 128;
    setp.ne.u32 %p3, 0, 0;
    @%p1 bra ISSUED;
    tcgen05.mma.cta_group::1.kind::f16 [%r8], %rd4, %rd5, 67241104, %p3;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];
ISSUED:
    bar.warp.sync 0xffffffff;
)" + await + R"(
    tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r8];
    tcgen05.wait::ld.sync.aligned;
    st.global.u32 [%rd2], %r10;
DONE:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
    @!%p2 bra DONE;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r8, 32;
)",
                  {}, 1, 32, "sm_100a");
}

constexpr const char* wait_for_the_commit = R"(
AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
    @!%p2 bra AGAIN;
)";

} // namespace

TEST_CASE("a tcgen05.mma is in flight until it is done, and its commit arrives behind that") {
    const Recorded made = multiply(wait_for_the_commit);
    REQUIRE_MESSAGE(bool(made.outcome), made.outcome.message);
    const Step &alloc = made.only(Kind::t_alloc), &issue = made.only(Kind::t_issue), &done = made.only(Kind::t_done),
               &commit = made.only(Kind::t_commit), &arrive = made.only(Kind::t_arrive),
               &load = made.only(Kind::t_access);
    CHECK(alloc.cells == std::vector<Cells>{{0, 0, 128, 0, 32, 1}});
    CHECK(issue.text == "mma");
    CHECK(issue.shape == (64 << 16 | 8));
    CHECK(issue.first == 1);
    CHECK(issue.mask == 1);
    CHECK(issue.cells.size() == 4); // sixteen lanes of each quarter
    CHECK(issue.cells[1] == Cells{0, 32, 16, 0, 8, 1});
    REQUIRE(issue.ranges.size() == 1);
    CHECK(issue.ranges[0].end - issue.ranges[0].begin == 2304);
    CHECK(done.number == issue.number);
    CHECK(done.cells == issue.cells);
    CHECK(commit.first == 1);
    CHECK(commit.what == 0);
    CHECK(arrive.number == commit.number);
    CHECK(arrive.what == 0);
    CHECK(arrive.barriers == std::vector<BarrierState>{{0, 1, 1, 1, 0}});
    CHECK(load.first == 0);
    CHECK(load.cells == std::vector<Cells>{{0, 0, 32, 0, 8, 0}});
    const auto at = [&](const Step& step) { return &step - made.recording.steps.data(); };
    CHECK(at(issue) < at(done));
    CHECK(at(done) < at(arrive));
    CHECK(at(arrive) < at(load));
    CHECK(made.only(Kind::t_wait).first == 0);
    CHECK(made.only(Kind::t_free).cells == alloc.cells);
    const std::vector<uint32_t>& from = made.of(Kind::write).back()->from;
    CHECK(std::find(from.begin(), from.end(), uint32_t(at(issue))) != from.end());
    for (const auto& finding : made.findings)
        CHECK_MESSAGE(finding.severity != sim::hazards::Severity::error, finding.message);
}

TEST_CASE("a load before the commit is awaited is found at the load and the mma") {
    const Recorded made = multiply("");
    const auto* finding = worst(made.findings);
    REQUIRE(finding);
    const Moments found = moments(made.recording, *finding);
    REQUIRE(found.step != none);
    REQUIRE(found.other != none);
    CHECK(made.recording.steps[found.step].kind == Kind::t_access);
    CHECK(made.recording.steps[found.other].kind == Kind::t_issue);
    const auto json = nlohmann::json::parse(sim::stepper::json(made.recording, {"test", made.findings, {}}));
    const auto& step = json["steps"][found.step];
    CHECK(step["cells"] == nlohmann::json({0, 0, 32, 0, 8, 0}));
    CHECK(json["steps"][found.other]["shape"] == (64 << 16 | 8));
}
