#include "check/recording.h"

namespace check {

void Recording::add(const sim::cuda::wire::Request& request) {
    bytes_ += sizeof(Request) + request.body.size() + request.payload.size();
    if (complete())
        requests_.push_back({request, {}});
}

void Recording::add_host_memory(std::span<const std::byte> contents) {
    bytes_ += sizeof contents + contents.size();
    if (complete() && !requests_.empty())
        requests_.back().host_memory.emplace_back(contents.begin(), contents.end());
}

} // namespace check
