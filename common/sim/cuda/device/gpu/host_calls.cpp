#include "sim/cuda/device/gpu/host_calls.h"

namespace sim::cuda::gpu {

void HostCalls::run(void* due) {
    const std::unique_ptr<Due> mine(static_cast<Due*>(due));
    HostCalls& calls = *mine->calls;
    std::unique_lock lock(calls.mutex_);
    calls.changed_.wait(lock, [&] { return calls.ended_ || calls.due_ == 0; }); // one at a time
    calls.due_ = mine->token;
    calls.given_out_ = false;
    calls.changed_.wait(lock, [&] { return calls.ended_ || calls.done_.contains(mine->token); });
    calls.done_.erase(mine->token);
    calls.due_ = 0;
    calls.changed_.notify_all();
}

bool HostCalls::is_due() {
    const std::lock_guard lock(mutex_);
    return due_ && !ended_;
}

HostCalls::HandedOut HostCalls::hand_out() {
    const std::lock_guard lock(mutex_);
    const HandedOut call{due_, given_out_};
    given_out_ = true;
    return call;
}

uint64_t HostCalls::hand_out_once() {
    const HandedOut call = hand_out();
    return call.before ? 0 : call.token;
}

void HostCalls::finished(uint64_t token) {
    {
        const std::lock_guard lock(mutex_);
        done_.insert(token);
    }
    changed_.notify_all();
}

void HostCalls::end() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
}

} // namespace sim::cuda::gpu
