// Memory that goes away under what still uses it, and objects that data is written over: each is a finding, and nothing
// is touched that is gone.
#include <algorithm>
#include <cstring>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/device/device.h"
#include "sim/rules/rule.h"

namespace {

using namespace sim::machine;

struct Run {
    Outcome outcome;
    std::vector<std::string> rules; ///< of the findings
    std::string messages;
    bool has(std::string_view rule) const { return std::ranges::find(rules, rule) != rules.end(); }
};

std::string kernel(const std::string& body) {
    return ".version 8.6\n.target sm_90a\n.address_size 64\n" + std::string(R"(
.visible .entry k(.param .u64 memory)
{
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<8>;
    .shared .align 128 .b8 tile[4096];
    .shared .align 8 .b64 barrier;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [memory];
    mov.u32 %r2, tile;
    mov.u32 %r3, barrier;
    setp.eq.u32 %p1, %r1, 0;
)") + body +
           "ret; }\n";
}

/// Long enough for the host to have its turn: see Pause::busy.
const std::string meanwhile = "mov.u32 %r4, 0; LOOP: add.u32 %r4, %r4, 1; st.volatile.shared.u32 [tile+2048], %r4; "
                              "setp.lt.u32 %p2, %r4, 400000; @%p2 bra LOOP;";

/// Runs the kernel with the address of 4096 bytes, which are freed once it has run for a while if `frees`.
Run run(const std::string& body, bool frees, Schedule schedule = {}) {
    Options options;
    options.schedule = schedule;
    sim::Device gpu(options);
    const uint64_t memory = gpu.allocate(4096);
    CHECK(gpu.fill(memory, 1, 4, 1024, {}, "cudaMemset"));
    const Kernel entry = gpu.kernel(gpu.load(kernel(body)), "k");
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &memory, 8);
    LaunchConfig config;
    config.block = {32, 1, 1};
    CHECK(gpu.begin(entry, config, parameters, {}, 0));
    Pause pause;
    while ((pause = gpu.advance()) == Pause::busy)
        if (frees && gpu.range(memory).bytes)
            CHECK(gpu.release(memory, "cudaFreeAsync"));
    if (pause == Pause::stalled)
        gpu.give_up();
    Run result;
    result.outcome = gpu.take_ended().outcome;
    for (const auto& finding : gpu.reporter().findings()) {
        result.rules.emplace_back(finding.rule->name);
        result.messages += finding.message + "\n";
    }
    return result;
}

const std::string copy = "mad.lo.u32 %r5, %r1, 16, %r2; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd2, %rd1, %rd2;"
                         "cp.async.cg.shared.global [%r5], [%rd2], 16; cp.async.commit_group;" +
                         meanwhile + "cp.async.wait_all;";
const std::string bulk_load =
    "@%p1 mbarrier.init.shared.b64 [%r3], 1; bar.sync 0; fence.proxy.async;"
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 1024;"
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 1024, [%r3];" +
    meanwhile + "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra WAIT;";
const std::string bulk_store = "mad.lo.u32 %r5, %r1, 4, %r2; st.shared.u32 [%r5], %r1; fence.proxy.async; bar.sync 0;"
                               "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 128;"
                               "@%p1 cp.async.bulk.commit_group;" +
                               meanwhile + "@%p1 cp.async.bulk.wait_group 0;";

} // namespace

TEST_CASE("memory that is freed under a pending copy is reported, with the copy and the free") {
    for (const auto& [body, verb] :
         {std::pair{copy, "reads 16 bytes"}, {bulk_load, "reads 1024 bytes"}, {bulk_store, "writes 128 bytes"}}) {
        CAPTURE(body);
        const Run freed = run(body, true);
        CHECK(freed.outcome.fault == Fault::illegal_address);
        CHECK(freed.has("use-after-free"));
        CHECK(freed.messages.find(std::string(" of block 0 ") + verb) != std::string::npos);
        CHECK(freed.messages.find("cudaFreeAsync has freed") != std::string::npos);
        const Run kept = run(body, false);
        CHECK_MESSAGE(kept.outcome, kept.outcome.message);
        CHECK_FALSE(kept.has("use-after-free"));
        const Run early = run(body, true, {.completion = Schedule::Completion::eager});
        CHECK_MESSAGE(early.outcome, early.outcome.message); // the copy was complete before
    }
}

TEST_CASE("a tile that is written over an mbarrier, then an arrival too many: both are findings") {
    const auto body = [](const std::string& stored) {
        return "@%p1 mbarrier.init.shared.b64 [%r3], 1; bar.sync 0;" + stored +
               "bar.sync 0; setp.lt.u32 %p2, %r1, 2;"
               "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 64;";
    };
    const Run over = run(body("@%p1 st.shared.f32 [%r3], 0f3f800000;"), false);
    CHECK(over.has("barrier-reinitialised"));
    CHECK(over.has("barrier-overflow"));
    const Run beside = run(body("@%p1 st.shared.f32 [%r2], 0f3f800000;"), false);
    CHECK_FALSE(beside.has("barrier-reinitialised"));
    CHECK(beside.has("barrier-overflow"));
}

TEST_CASE("two places of the host on one line cannot be distinguished") {
    sim::hazards::Place place;
    place.file = "main.cu";
    place.line = 11;
    sim::hazards::Place first = place;
    std::vector<sim::hazards::Place> others{place, place};
    sim::hazards::distinguish(first, others);
    CHECK(first.line == 11);
    CHECK(others[1].line == 11);
    // A kernel's place beside them, which has a chain of calls.
    first.calls = {{"wait.h", 3, 0, "wait"}, {"main.cu", 11, 0, ""}};
    sim::hazards::distinguish(first, others);
    CHECK(first.line == 11);
}
