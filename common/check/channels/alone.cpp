#include <utility>

#include "check/channels/channels.h"
#include "check/channels/program.h"

namespace check {
namespace {

// NVIDIA's runtime and tools need more room than a lab's program.
process::Spawn unlimited(const RunConfig& config) {
    process::Spawn spawn;
    spawn.environment["ASYNCLAB_SMS"] = std::to_string(config.sms);
    spawn.limits.kept_bytes = spawn.limits.output_bytes;
    return spawn;
}

class Alone : public Channel {
  public:
    explicit Alone(const RunConfig& config) : Channel(config), program_(config, unlimited(config), nullptr) {}

    bool on_gpu() const override { return true; }
    bool has_results() const override { return false; }

    std::vector<std::byte> read(MemoryKind, uint64_t, size_t bytes) override { return std::vector<std::byte>(bytes); }
    void write(MemoryKind place, uint64_t address, std::span<const std::byte> contents) override {
        program_.write(place == MemoryKind::device ? wire::Ask::upload : wire::Ask::write, address, contents);
    }
    bool written_by_kernel(uint64_t, size_t) override { return true; }
    std::vector<bool> elements_written(uint64_t, size_t, size_t count) override {
        return std::vector<bool>(count, true);
    }

    void call(const std::vector<detail::Slot>& slots) override {
        announce(slots);
        program_.check_signature(slots);
        if (config_.calls)
            config_.calls(call_);
        if (const auto beside = std::exchange(beside_, {}))
            expect_success(program_.launch(*beside, 1), {});
        const wire::Reply launched = program_.launch(slots);
        const wire::Reply done = program_.synchronise();
        lost_ = done.code != 0;
        expect_success(launched, done);
    }
    void finish() override { program_.leave(); }
    void describe(RunResult& result) override {
        Channel::describe(result);
        result.output = program_.output();
    }

  protected:
    uint64_t try_to_allocate(MemoryKind place, size_t bytes) override {
        if (lost_)
            throw Failed{Verdict::cuda_error, "the GPU was lost in an earlier case"};
        return program_.allocate(place == MemoryKind::device   ? wire::Ask::allocate_device
                                 : place == MemoryKind::pinned ? wire::Ask::allocate_pinned
                                                               : wire::Ask::allocate_pageable,
                                 bytes);
    }

  private:
    bool lost_ = false;
    Program program_;
};

} // namespace

std::unique_ptr<Channel> alone(const RunConfig& config) {
    return std::make_unique<Alone>(config);
}

} // namespace check
