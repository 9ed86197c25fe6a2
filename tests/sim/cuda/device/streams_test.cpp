// When work in streams runs, and what it is ordered after.
#include <algorithm>

#include <doctest/doctest.h>

#include "sim/cuda/device/streams.h"
#include "sim/cuda/wire/command.h"

using namespace sim::cuda;
using sim::machine::OperationId;
using sim::machine::Order;
using sim::machine::Schedule;

namespace {

struct Device {
    OperationId next = 1;
    std::vector<std::string> ran;
    std::map<std::string, OperationId> ids;
    std::map<std::string, std::vector<OperationId>> unordered;
    Streams streams;

    explicit Device(Schedule schedule = {}) : streams(schedule, [this] { return next; }) {
        streams.add_stream(2, false);
        streams.add_stream(3, false);
        streams.add_stream(4, true);
    }
    Operation::Ptr put(uint64_t stream, const std::string& name, Engine engine = Engine::compute) {
        Streams::Issue issue;
        issue.engine = engine;
        issue.work = [this, name](const Order& order) -> uint64_t {
            ran.push_back(name);
            ids[name] = next++;
            unordered[name] = order.unordered;
            return 100000;
        };
        return streams.issue(stream, std::move(issue));
    }
    Operation::Ptr mark(uint64_t stream, Operation::Ptr after = nullptr) {
        Streams::Issue issue;
        issue.also_after = std::move(after);
        return streams.issue(stream, std::move(issue));
    }
    void synchronise(const Operation::Ptr& operation) {
        REQUIRE(streams.run(operation));
        streams.host_joins(operation);
    }
};

/// A device whose kernels end only when something that they wait for has run.
struct Kernels {
    OperationId next = 1;
    std::vector<std::string> ran;
    std::map<OperationId, std::pair<std::string, std::string>> running; ///< name, and what it waits for
    std::map<OperationId, std::vector<OperationId>> unordered;
    uint32_t given_up = 0;
    Streams streams;

    explicit Kernels(Schedule schedule = {})
        : streams(
              schedule, [this] { return next; }, [this](bool give_up) { return advance(give_up); }) {
        streams.add_stream(2, true);
        streams.add_stream(3, true);
    }
    Progress advance(bool give_up) {
        given_up += give_up;
        for (const auto& [id, kernel] : running) {
            const auto& [name, awaited] = kernel;
            if (!give_up && !awaited.empty() && std::ranges::find(ran, awaited) == ran.end())
                continue;
            const OperationId ended = id;
            ran.push_back(name);
            running.erase(id);
            return {sim::machine::Pause::ended, ended, 100};
        }
        return {sim::machine::Pause::stalled};
    }
    Operation::Ptr launch(uint64_t stream, const std::string& name, const std::string& awaited = {}) {
        Streams::Issue issue;
        issue.launch = std::make_shared<DependentLaunch>();
        issue.work = [this, name, awaited](const Order& order) -> std::optional<uint64_t> {
            unordered[next] = order.unordered;
            running[next++] = {name, awaited};
            return std::nullopt;
        };
        return streams.issue(stream, std::move(issue));
    }
};

using Names = std::vector<std::string>;
using Ids = std::vector<OperationId>;

} // namespace

TEST_CASE("nothing runs until somebody waits") {
    Device device;
    device.put(2, "copy");
    CHECK(device.ran.empty());
    device.synchronise(device.streams.last(2));
    CHECK(device.ran == Names{"copy"});
}

TEST_CASE("waiting for one stream leaves the others alone") {
    Device device;
    device.put(2, "a");
    device.put(3, "b");
    device.synchronise(device.streams.last(2));
    CHECK(device.ran == Names{"a"});
}

TEST_CASE("operations of one stream are ordered") {
    Device device;
    device.put(2, "a");
    device.put(2, "b");
    device.synchronise(device.streams.last(2));
    CHECK(device.ran == Names{"a", "b"});
    CHECK(device.unordered["b"].empty());
}

TEST_CASE("operations of two streams are unordered") {
    Device device;
    device.put(2, "a");
    device.put(3, "b");
    device.streams.run_all();
    CHECK(device.ran == Names{"b", "a"}); // the later one first: a program that relies on the order of issue fails
    CHECK(device.unordered["a"] == Ids{device.ids["b"]});
}

TEST_CASE("an event orders two streams") {
    Device device;
    const auto event = (device.put(2, "a"), device.mark(2));
    device.mark(3, event);
    device.put(3, "b");
    device.synchronise(device.streams.last(3));
    CHECK(device.ran == Names{"a", "b"});
    CHECK(device.unordered["b"].empty());
}

TEST_CASE("an event does not order what was issued after it") {
    Device device;
    device.put(2, "a");
    const auto event = device.mark(2);
    device.put(2, "later");
    device.mark(3, event);
    device.put(3, "b");
    device.streams.run_all();
    REQUIRE(device.ids["later"] != 0);
    const bool later_first = device.ids["later"] < device.ids["b"];
    CHECK(device.unordered[later_first ? "b" : "later"] == Ids{device.ids[later_first ? "later" : "b"]});
}

TEST_CASE("synchronising the host orders later work after it") {
    Device device;
    device.put(2, "a");
    device.synchronise(device.streams.last(2));
    device.put(3, "b");
    device.streams.run_all();
    CHECK(device.unordered["b"].empty());
}

TEST_CASE("running is not synchronising: eager work stays unordered") {
    Device device({Schedule::Completion::eager, Schedule::Warps::round_robin, 1});
    device.put(2, "a");
    device.put(3, "b");
    CHECK(device.ran == Names{"a", "b"});
    CHECK(device.unordered["b"] == Ids{device.ids["a"]});
}

TEST_CASE("the default stream waits for blocking streams, and they wait for it") {
    Device device;
    device.put(2, "before");
    device.put(legacy_stream, "default");
    device.put(3, "after");
    device.streams.run_all();
    CHECK(device.ran == Names{"before", "default", "after"});
    CHECK(device.unordered["default"].empty());
    CHECK(device.unordered["after"].empty());
}

TEST_CASE("a non-blocking stream does not wait for the default stream") {
    Device device;
    device.put(legacy_stream, "default");
    device.put(4, "free");
    device.streams.run_all();
    CHECK(device.ran == Names{"free", "default"});
    CHECK(device.unordered["default"] == Ids{device.ids["free"]});
}

TEST_CASE("work of a destroyed stream still orders the default stream") {
    Device device;
    device.put(2, "a");
    device.streams.remove_stream(2);
    device.put(legacy_stream, "default");
    device.streams.run_all();
    CHECK(device.ran == Names{"a", "default"});
    CHECK(device.unordered["default"].empty());
}

TEST_CASE("a host call holds its stream up until it has been made") {
    Device device;
    device.put(2, "before");
    Streams::Issue issue;
    issue.host_call = 7;
    device.streams.issue(2, std::move(issue));
    device.put(2, "after");
    CHECK_FALSE(device.streams.run(device.streams.last(2)));
    CHECK(device.ran == Names{"before"});
    REQUIRE(device.streams.host_call()->host_call == 7);
    device.streams.host_call()->calling = true;
    device.streams.host_call_done(7);
    CHECK(device.streams.run(device.streams.last(2)));
    CHECK(device.ran == Names{"before", "after"});
}

TEST_CASE("a full queue runs its oldest operations") {
    Device device;
    for (size_t i = 0; i < Streams::max_pending + 10; ++i)
        device.put(2, std::to_string(i));
    CHECK(device.ran.size() == 10);
    CHECK(device.ran.front() == "0");
}

TEST_CASE("copies and kernels of two streams overlap in the modelled time") {
    Device device;
    std::vector<Operation::Ptr> ends;
    for (const uint64_t stream : {2, 3}) {
        device.put(stream, "up", Engine::host_to_device);
        device.put(stream, "compute", Engine::compute);
        ends.push_back(device.put(stream, "down", Engine::device_to_host));
    }
    device.streams.run_all();
    device.streams.host_joins_all();
    const uint64_t first = device.streams.finish_time(*ends[0]), second = device.streams.finish_time(*ends[1]);
    CHECK(second > first);
    CHECK(second - first < 150000); // one stage apart, not three
}

TEST_CASE("a kernel that waits lets an operation of another stream begin") {
    for (const auto completion : {Schedule::Completion::lazy, Schedule::Completion::eager}) {
        Kernels device({completion, Schedule::Warps::round_robin, 1});
        const auto waits = device.launch(2, "waits", "raises");
        CHECK_FALSE(waits->done);
        device.launch(3, "raises");
        CHECK(device.streams.run(waits));
        CHECK(device.ran == Names{"raises", "waits"});
        CHECK(device.unordered[2] == Ids{1}); // whichever began second is not ordered after the first
        CHECK(device.given_up == 0);
    }
}

TEST_CASE("a kernel that waits is given up only when the host waits, too") {
    Kernels device;
    const auto waits = device.launch(2, "waits", "nothing");
    CHECK_FALSE(device.streams.run(waits, Streams::Host::goes_on));
    CHECK(device.streams.host_call() == nullptr);
    CHECK(device.given_up == 0);
    CHECK(device.streams.run(waits));
    CHECK(device.given_up == 1);
}

TEST_CASE("a kernel may wait for a host call of another stream") {
    Kernels device;
    const auto waits = device.launch(2, "waits", "call");
    Streams::Issue issue;
    issue.host_call = 7;
    device.streams.issue(3, std::move(issue));
    CHECK_FALSE(device.streams.run(waits));
    REQUIRE(device.streams.host_call());
    device.streams.host_call()->calling = true;
    device.ran.push_back("call");
    device.streams.host_call_done(7);
    CHECK(device.streams.run(waits));
    CHECK(device.given_up == 0);
}

TEST_CASE("a program that asks for ever does not keep a kernel that waits alive") {
    Kernels device;
    const auto waits = device.launch(2, "waits", "nothing");
    for (int i = 0; i < 2000 && !waits->done; ++i)
        device.streams.step(waits);
    CHECK(device.given_up == 1);
}
