// What the device hears of the host's accesses to memory that both share, and of the program's calls.
#include <cstring>

#include "sim/cuda/program/runtime.h"

namespace sim::cuda {

void Runtime::send_noted_accesses() {
    HostWatch& watch = HostWatch::get();
    if (!watch.has_noted())
        return;
    constexpr size_t together = max_payload / sizeof(uint64_t);
    const std::vector<NotedAccess> noted = watch.take_noted();
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < noted.size(); ++i) {
        addresses.push_back(noted[i].address);
        if (i + 1 < noted.size() && noted[i + 1].code == noted[i].code && noted[i + 1].write == noted[i].write &&
            addresses.size() < together)
            continue;
        const HostCode code = watch.code(noted[i].code);
        accept(backend_->call(HostAccess{noted[i].write, 0, current_host_call()}, std::as_bytes(std::span(addresses)),
                              call_sites::of_instruction(code.all()))); // it may ask for the line
        addresses.clear();
    }
}

void Runtime::name_calls(const std::vector<uint32_t>& calls) {
    for (const uint32_t call : calls) {
        const CodePlace place = call_sites::place(call);
        std::string payload = place.file + '\0' + place.function + '\0';
        backend_->call(NameCall{call, place.line}, std::string_view(payload));
    }
}

void Runtime::watch_shared(uint64_t ticket, uint64_t address) {
    Allocation found;
    if (!find(address, found) || found.kind == Allocation::Kind::device)
        return;
    WatchedCopy watched;
    watched.ticket = ticket;
    watched.address = found.address;
    watched.width = found.bytes;
    watched.of_kernel = true;
    track_watched(watched);
}

void Runtime::watch_kernel(uint64_t ticket, std::span<const std::byte> parameters) {
    std::set<uint64_t> known; // allocations
    std::vector<uint64_t> next;
    const auto look_at = [&](std::span<const std::byte> bytes) {
        for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
            uint64_t address = 0;
            std::memcpy(&address, bytes.data() + at, sizeof address);
            Allocation found;
            if (find(address, found) && found.kind != Allocation::Kind::device && known.insert(found.address).second)
                next.push_back(found.address);
        }
    };
    look_at(parameters);
    {
        const std::lock_guard lock(mutex_);
        for (const uint64_t variable : managed_variables_)
            if (known.insert(variable).second)
                next.push_back(variable);
    }
    // What the memory itself points to: the host has written that before the launch.
    constexpr uint64_t most = 4096;
    for (size_t i = 0; i < next.size() && i < 16; ++i) {
        Allocation memory;
        if (find(next[i], memory) && !HostWatch::get().covers(memory.address, std::min(memory.bytes, most)))
            look_at({static_cast<const std::byte*>(to_pointer(memory.address)), std::min(memory.bytes, most)});
    }
    for (const uint64_t address : known)
        watch_shared(ticket, address);
}

void Runtime::report_early_accesses() {
    for (const EarlyAccess& access : HostWatch::get().take()) {
        const WatchedCopy& copy = access.copy;
        const std::string byte = "byte " + std::to_string(access.address - copy.address);
        report(access.write ? HostMisuse::write_before_sync : HostMisuse::read_before_sync,
               call_sites::place(call_sites::of_instruction(access.code.all())),
               std::string("the host ") + (access.write ? "writes " : "reads ") + byte + " of pinned memory", copy.site,
               "this copy of " + std::to_string(copy.rows * copy.width) +
                   (copy.destination ? " bytes into it" : " bytes from it") + " is not known to be complete",
               copy.destination
                   ? "The copy returns before it is done, and nothing since has waited for it."
                   : "The copy reads its source late: it may copy the new value, the old one, or a mixture.");
    }
}

} // namespace sim::cuda
