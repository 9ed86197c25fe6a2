#include "sim/cuda/program/staged_sources.h"

#include <algorithm>
#include <cstring>

#include <sys/uio.h>
#include <unistd.h>

namespace sim::cuda {

namespace {

enum class Comparison : uint8_t { same, different, unreadable };

// The program may have unmapped the source meanwhile, which it is free to do.
Comparison compare(const StagedSources::Source& source) {
    std::vector<std::byte> row(source.box.width);
    uint64_t next = source.block;
    auto result = Comparison::same;
    each_row(source.box, [&](uint64_t, uint64_t from) {
        const iovec here{row.data(), row.size()}, there{to_pointer(from), row.size()};
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != static_cast<ssize_t>(row.size()))
            result = Comparison::unreadable;
        else if (result == Comparison::same && std::memcmp(row.data(), to_pointer(next), row.size()) != 0)
            result = Comparison::different;
        next += source.box.width;
    });
    return result;
}

// Of a function that has returned.
bool is_unused_stack(uint64_t address) {
    constexpr uint64_t deepest = 8 << 20;
    const auto here = to_address(__builtin_frame_address(0));
    return address < here && here - address < deepest;
}

} // namespace

void StagedSources::add(uint64_t ticket, const Source& source) {
    constexpr size_t most = 256;
    if (sources_.size() < most)
        sources_.emplace_back(ticket, source);
}

void StagedSources::remove(uint64_t ticket) {
    std::erase_if(sources_, [&](const auto& known) { return known.first == ticket; });
}

std::vector<StagedSources::Source> StagedSources::unchanged(const std::vector<uint64_t>& tickets) const {
    std::vector<Source> result;
    for (const auto& [ticket, source] : sources_)
        if (std::ranges::find(tickets, ticket) != tickets.end() && !is_unused_stack(source.box.source) &&
            compare(source) == Comparison::same)
            result.push_back(source);
    return result;
}

bool StagedSources::changed(const Source& source) {
    return compare(source) == Comparison::different;
}

} // namespace sim::cuda
