#include "check/session.h"

#include <algorithm>

namespace check {
namespace {

Session* the_session = nullptr;

} // namespace

Session::Session(const RunConfig& config, const Recorded* repeated)
    : follows_results(config.means || (config.schedule.completion == sim::machine::Schedule::Completion::lazy &&
                                       config.schedule.warps == sim::machine::Schedule::Warps::round_robin)),
      random_(config.data_seed), channel_(open_channel(config, repeated)) {
    the_session = this;
}

Session::~Session() {
    the_session = nullptr;
}

Session& Session::current() {
    if (!the_session)
        throw Failed{Verdict::internal, "check.cpp used the device outside of a case"};
    return *the_session;
}

uint64_t Session::allocate_filled(size_t bytes) {
    const uint64_t address = channel_->allocate(MemoryKind::device, bytes);
    std::vector<uint64_t> block((std::min<size_t>(bytes, 16 << 20) + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    for (uint64_t& value : block)
        value = random_();
    const auto contents = std::as_bytes(std::span(block));
    for (size_t done = 0; done < bytes; done += contents.size())
        channel_->write(MemoryKind::device, address + done, contents.first(std::min(contents.size(), bytes - done)));
    return address;
}

} // namespace check
