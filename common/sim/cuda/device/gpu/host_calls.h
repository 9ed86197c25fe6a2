// Functions of the program in a stream of a real GPU: the driver calls ours, which waits until the program has made the
// call.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

namespace sim::cuda::gpu {

class HostCalls {
  public:
    /// What cuLaunchHostFunc is given with run(), which owns it.
    struct Due {
        std::shared_ptr<HostCalls> calls;
        uint64_t token;
    };
    static void run(void* due);

    struct HandedOut {
        uint64_t token = 0; ///< 0: no call has to be made
        bool before;        ///< it was handed out before, so the program is making it
    };
    bool is_due();
    HandedOut hand_out();
    uint64_t hand_out_once(); ///< the token, or 0 if it was handed out before
    void finished(uint64_t token);
    /// Lets all that waits for the program go.
    void end();

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t due_ = 0; ///< token; 0: none
    bool given_out_ = false;
    std::set<uint64_t> done_;
    bool ended_ = false;
};

} // namespace sim::cuda::gpu
