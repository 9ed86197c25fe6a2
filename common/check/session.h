// One run of one case: the channel that carries it out, and its random values.
#pragma once

#include <memory>
#include <random>

#include "check/channel.h"

namespace check {

class Session {
  public:
    explicit Session(const RunConfig& config, const Recorded* repeated = nullptr);
    ~Session();
    Session(const Session&) = delete;
    static Session& current(); ///< the one that exists; throws Failed

    Channel& channel() { return *channel_; }
    uint64_t random_bits() { return random_(); }
    /// For the contents of buffers: others when the case is repeated.
    uint64_t random_value() { return random_() ^ channel_->other_value(); }
    /// Device memory with arbitrary values, of which there is no copy on the host.
    uint64_t allocate_filled(size_t bytes);
    uint64_t right = 0, compared = 0; ///< RunResult's
    /// Which inputs results depend on follows from the program, not from the schedule: one of them is enough to see it.
    const bool follows_results;

  private:
    std::mt19937_64 random_;
    std::unique_ptr<Channel> channel_;
};

} // namespace check
