#include "check/channels/on_device.h"

namespace check {
namespace {

class Simulated : public WithProgram {
  public:
    explicit Simulated(const RunConfig& config) : WithProgram(config, "fd", simulated_device(config, nullptr)) {}

    void describe(RunResult& result) override {
        WithProgram::describe(result);
        result.any_target = !asked_for_target_ && !server_->told_architecture();
    }

    // Memory of the host is the program's, which fills it itself: then nothing can be repeated without it.
    std::optional<Recorded> recording() override {
        program_.kill(); // closes the program's end, which ends the server's thread
        server_->join();
        if (uses_host_memory_)
            return {};
        return server_->take_recording();
    }
};

} // namespace

std::unique_ptr<Channel> simulated(const RunConfig& config) {
    return std::make_unique<Simulated>(config);
}

} // namespace check
