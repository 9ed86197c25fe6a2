// The checker reads what the device's process says as if a stranger had written it.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <span>

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/device_process.h"
#include "check/verdict.h"

using namespace check;

namespace {

namespace fs = std::filesystem;

/// Folder of links to the liar, whose names say what it does.
struct Links {
    fs::path folder = fs::temp_directory_path() / ("device_process_test." + std::to_string(getpid()));
    Links() { fs::create_directory(folder); }
    ~Links() { fs::remove_all(folder); }
    fs::path operator()(const std::string& lie) const {
        fs::create_symlink(LIAR, folder / lie);
        return folder / lie;
    }
};

Failed reason(const fs::path& program) {
    DeviceProcess process(program);
    const auto server = boxed_server(process, {});
    try {
        server->judged();
    } catch (const Failed& failed) {
        CHECK_FALSE(process.alive());
        return failed;
    }
    return {Verdict::passed, {}};
}

Trace example() {
    Trace trace;
    trace.operations = {{HostOperation::Kind::copy_to_device, 1, 4096, true},
                        {HostOperation::Kind::query, 2, 0, false}};
    trace.launches = {{"_Z6kernelPf", {{4, 1, 1}, {256, 1, 1}, {2, 1, 1}, 1024, true}, {}, 24}};
    trace.launches[0].statistics.cp_async_bytes = 77;
    trace.statistics.max_copy_groups = 3;
    trace.lost = {sim::machine::Fault::deadlock, "who waits where"};
    trace.uploaded.resize(40);
    trace.downloaded.resize(7);
    trace.loads = {{0x1000, 64}, {0x2000, 0}};
    trace.flow = {{4096, 2048}, 2, 3};
    trace.flow->by.back() = {64, 32};
    trace.flow->reloaded = 16;
    trace.flow->reloaded_products = 20;
    trace.flow->multiplied_in_place = 24;
    trace.flow->turns = {.products = 56, .changes = 28, .taken = 14, .meetings = 7};
    trace.flow->epilogue.stores_beside = 30;
    trace.full.launches = true;
    return trace;
}

} // namespace

TEST_CASE("what makes no sense is the device's failure, not the checker's") {
    const Links link;
    for (const char* lie : {"dies", "leaves", "hangs-up", "other-answer", "endless", "long-excuse", "no-verdict",
                            "no-state", "no-json", "deep", "unknown-field", "other-type"}) {
        CAPTURE(lie);
        const Failed failed = reason(link(lie));
        CHECK(failed.verdict == Verdict::internal);
        CHECK(failed.message.find("the simulated device itself failed") == 0);
    }
    CHECK(reason(link("honest")).verdict == Verdict::passed);
}

TEST_CASE("a device that runs out of memory says so") {
    const Links link;
    const Failed failed = reason(link("out-of-memory"));
    CHECK(failed.verdict == Verdict::incomplete);
    CHECK(failed.message.find("more than 3 GiB") != std::string::npos);
}

TEST_CASE("the run after a failure gets a new process") {
    const Links link;
    DeviceProcess process(link("dies"));
    for (int run = 0; run < 2; ++run) {
        const auto server = boxed_server(process, {});
        CHECK(process.alive());
        CHECK_THROWS_AS(server->judged(), Failed);
        CHECK_FALSE(process.alive());
    }
}

TEST_CASE("a trace arrives as it was") {
    const auto packed = message::pack(example());
    const Trace got = message::trace(packed);
    CHECK(message::pack(got) == packed);
    CHECK(got.operations[0].kind == HostOperation::Kind::copy_to_device);
    CHECK(got.operations[0].pageable);
    CHECK(got.launches[0].kernel == "_Z6kernelPf");
    CHECK(got.launches[0].config.cluster.x == 2);
    CHECK(got.launches[0].statistics.cp_async_bytes == 77);
    CHECK(got.statistics.max_copy_groups == 3);
    CHECK(got.lost.message == "who waits where");
    CHECK(got.loads == example().loads);
    REQUIRE(got.flow);
    CHECK(got.flow->used == 2048);
    CHECK(got.flow->stages == 3);
    CHECK(got.flow->by.back().used == 32);
    CHECK(got.flow->reloaded == 16);
    CHECK(got.flow->reloaded_products == 20);
    CHECK(got.flow->multiplied_in_place == 24);
    CHECK(got.flow->turns.changes == 28);
    CHECK(got.flow->turns.meetings == 7);
    CHECK(got.flow->epilogue.stores_beside == 30);
    CHECK(got.full.launches);
    CHECK_FALSE(got.full.operations);
}

TEST_CASE("a trace that is cut off or changed is Malformed, or another trace") {
    const auto packed = message::pack(example());
    for (size_t bytes = 0; bytes < packed.size(); ++bytes)
        CHECK_THROWS_AS(message::trace(std::span(packed).first(bytes)), message::Malformed);
    std::mt19937_64 random(1);
    size_t refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        auto changed = packed;
        for (int i = 0; i < 3; ++i)
            changed[random() % changed.size()] = static_cast<std::byte>(random() % 3 ? random() : 0xff);
        try {
            (void)message::trace(changed);
        } catch (const message::Malformed&) {
            ++refused;
        }
    }
    CHECK(refused > 1000);
}

TEST_CASE("ranges arrive as they were, and no list is longer than its message") {
    const auto packed = message::pack(sim::provenance::Followed{{{0x1000, 64}, {0x2000, 16}}, {{0x3000, 8}}});
    const auto got = message::followed(packed);
    REQUIRE(got.inputs.size() == 2);
    CHECK(got.inputs[1].address == 0x2000);
    REQUIRE(got.results.size() == 1);
    CHECK(got.results[0].bytes == 8);
    CHECK_THROWS_AS(message::followed(std::span(packed).first(packed.size() - 1)), message::Malformed);
}

TEST_CASE("conditions and states have their enumerations checked") {
    const auto packed = message::pack(Condition{3, {sim::machine::Fault::runaway, "on"}});
    CHECK(message::condition(packed).errors == 3);
    auto changed = packed;
    changed[8] = std::byte{200};
    CHECK_THROWS_AS(message::condition(changed), message::Malformed);
    for (const uint64_t bits : {0, 1, 2, 4, 8, 15})
        CHECK(message::pack(message::state(bits)) == bits);
    CHECK_THROWS_AS(message::state(16), message::Malformed);
}

TEST_CASE("how long a process is kept waiting for a processor") {
    cpu_set_t allowed, one;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &allowed))
        ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    pid_t busy[2];
    for (pid_t& child : busy)
        if ((child = fork()) == 0) {
            sched_setaffinity(0, sizeof one, &one);
            for (volatile unsigned spins = 0;;)
                spins = spins + 1;
        }
    using namespace std::chrono_literals;
    const bool counted = fs::exists("/proc/self/schedstat");
    for (int i = 0; i < 1000 && counted && process::kept_waiting(busy[0], true) < 20ms; ++i)
        usleep(10'000);
    CHECK((!counted || process::kept_waiting(busy[0], true) >= 20ms));
    CHECK(process::kept_waiting(busy[0], false) >= process::kept_waiting(busy[0], true) - 20ms);
    for (const pid_t child : busy) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    CHECK(process::kept_waiting(busy[0], true) == 0ns); // there is none
}
