#include <random>

#include "check/channels/on_device.h"

namespace check {
namespace {

class Repeated : public OnDevice {
  public:
    Repeated(const RunConfig& config, const Recorded& recording)
        : OnDevice(config, simulated_device(config, &recording)), other_values_(generator(config)) {}

    uint64_t other_value() override { return other_values_(); }
    void finish() override {
        if (!server_->repeat_the_rest())
            throw Failed{Verdict::internal, "check.cpp does not do the same with other random values"};
        check_device(*server_, !config_.means);
    }

  protected:
    void prepare(const std::vector<detail::Slot>&) override {}
    wire::Reply launch(const std::vector<detail::Slot>&, uint32_t) override { return {}; }
    wire::Reply synchronise() override { return {}; }
    uint64_t allocate_on_host(MemoryKind, size_t) override { no_program(); }
    std::vector<std::byte> read_host(uint64_t, size_t) override { no_program(); }
    void write_host(uint64_t, std::span<const std::byte>) override { no_program(); }

  private:
    static std::mt19937_64 generator(const RunConfig& config) {
        std::seed_seq seeds{static_cast<uint32_t>(config.repeat_seed), static_cast<uint32_t>(config.repeat_seed >> 32),
                            static_cast<uint32_t>(config.data_seed), static_cast<uint32_t>(config.data_seed >> 32)};
        return std::mt19937_64(seeds);
    }
    // A run that uses memory of the host has no recording.
    [[noreturn]] static void no_program() {
        throw Failed{Verdict::internal, "check.cpp does not do the same with other random values"};
    }

    std::mt19937_64 other_values_;
};

} // namespace

std::unique_ptr<Channel> repeat(const RunConfig& config, const Recorded& recording) {
    return std::make_unique<Repeated>(config, recording);
}

} // namespace check
