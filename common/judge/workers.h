// Runs cases in processes of their own, one for each processor: doctest and the device work on one thing at a time, a
// kernel that does not end can be left behind, and a bug in the device is a report instead of a crash of the checker.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "check/suite.h"

namespace judge {

struct Task {
    std::string lab;
    size_t index = 0;   ///< of the case
    bool bench = false; ///< not a case but a measurement
    check::RunConfig config;
};

class Workers {
  public:
    /// `count` processes; 0: as many as there are processors. Start them before any thread.
    explicit Workers(unsigned count = 0);
    ~Workers();
    Workers(const Workers&) = delete;

    /// Runs the tasks, beginning them in their order. `wanted` is called before a task begins: false skips it. `done`
    /// gets the results as they come. `meanwhile` is called about ten times a second with the task that has been
    /// running for longest and its current call: "launch([1000], 1000)". All are called on this thread.
    void run(const std::vector<Task>& tasks, const std::function<bool(size_t)>& wanted,
             const std::function<void(size_t, check::RunResult)>& done,
             const std::function<void(size_t, std::string_view)>& meanwhile = {});

  private:
    struct Worker;
    struct Round;
    void start(Worker& worker);
    static void end(Worker& worker);
    std::filesystem::path device_program_;
    std::vector<Worker> workers_;
};

} // namespace judge
