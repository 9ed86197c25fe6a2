// Catches the host touching its side of a copy that is not known to be complete, byte for byte, by page protection.
//
// The pages of a pending copy's destination cannot be accessed, those of its source cannot be written. An access to a
// byte of the copy is a finding; an access to another byte of such a page is let through by single-stepping it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sim::cuda {

/// The host side of a pending copy: `rows` rows of `width` bytes, `pitch` bytes apart.
struct WatchedCopy {
    uint64_t ticket = 0;
    uint64_t address = 0, width = 0, rows = 1, pitch = 0;
    bool destination = false;   ///< the copy writes it (else: reads it)
    const void* site = nullptr; ///< return address of the call that issued the copy
};

struct EarlyAccess {
    WatchedCopy copy;
    uint64_t address = 0;
    bool write = false;
    const void* code = nullptr; ///< the instruction
};

class HostWatch {
  public:
    static HostWatch& get();

    /// Where cudaMalloc'ed memory is looked up for the message about a host access to it: fills base and bytes.
    using Lookup = bool (*)(uint64_t address, uint64_t& base, uint64_t& bytes);
    /// Takes over SIGSEGV and SIGTRAP; passes other faults on to the previous handlers.
    void install(Lookup lookup);

    /// False: too many copies are watched already, so this one is not.
    bool add(const WatchedCopy& copy);
    void remove(uint64_t ticket);
    /// Removes all copies that touch [address, + bytes) and returns them.
    std::vector<WatchedCopy> remove_range(uint64_t address, uint64_t bytes);
    /// The early accesses since the last call.
    std::vector<EarlyAccess> take();
};

} // namespace sim::cuda
