// Catches the host touching memory that it shares with the device, byte for byte, by page protection.
//
// The pages of a pending copy's destination cannot be accessed, those of its source cannot be written. An access to a
// byte of the copy is a finding; an access to another byte of such a page is let through by single-stepping it. Which
// bytes a kernel uses is not known, so accesses to memory that it may use are noted, and the device judges them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sim::cuda {

/// The host side of a pending copy: `rows` rows of `width` bytes, `pitch` bytes apart. Or memory that a pending kernel,
/// or another operation, may use.
struct WatchedCopy {
    uint64_t ticket = 0;
    uint64_t address = 0, width = 0, rows = 1, pitch = 0;
    bool destination = false;   ///< the copy writes it (else: reads it)
    const void* site = nullptr; ///< return address of the call that issued the copy
    bool of_kernel = false;     ///< it is no copy
};

/// An instruction of the host, and the calls that lead to it: the addresses that they return to, innermost first.
struct HostCode {
    static constexpr int deepest = 16;
    const void* frames[deepest];
    int count = 0;
    std::span<const void* const> all() const { return {frames, static_cast<size_t>(count)}; }
};

struct EarlyAccess {
    WatchedCopy copy;
    uint64_t address = 0;
    bool write = false;
    HostCode code;
};

/// An access to memory that a pending kernel may use.
struct NotedAccess {
    uint64_t address = 0;
    uint32_t code = 0; ///< see HostWatch::code
    bool write = false;
};

class HostWatch {
  public:
    static HostWatch& get();

    /// Where cudaMalloc'ed memory is looked up for the message about a host access to it: fills base and bytes.
    using Lookup = bool (*)(uint64_t address, uint64_t& base, uint64_t& bytes);
    /// What is done before the program ends for that access, or for one to pinned memory that has been freed.
    using Report = void (*)(uint64_t address, const HostCode& code);
    /// Takes over SIGSEGV and SIGTRAP; passes other faults on to the previous handlers.
    void install(Lookup lookup, Report report);

    /// False: too many copies are watched already, so this one is not.
    bool add(const WatchedCopy& copy);
    void remove(uint64_t ticket);
    /// Removes all copies that touch [address, + bytes) and returns them.
    std::vector<WatchedCopy> remove_range(uint64_t address, uint64_t bytes);
    /// Does not watch these copies until they are resumed: they are ordered after what this thread does now.
    std::vector<WatchedCopy> suspend(std::span<const uint64_t> tickets);
    void resume(const std::vector<WatchedCopy>& suspended);
    /// The operating system is about to access these bytes for the program, where no handler can run: takes note of it
    /// and opens watched pages until close(). The program's call returns to `frame`. False: nothing here is watched.
    bool open(uint64_t address, uint64_t bytes, bool write, const void* frame);
    void close(uint64_t address, uint64_t bytes);
    /// Is some of this memory watched?
    bool covers(uint64_t address, uint64_t bytes) const;
    /// The early accesses since the last call.
    std::vector<EarlyAccess> take();
    /// The same for noted accesses.
    bool has_noted() const;
    std::vector<NotedAccess> take_noted();
    HostCode code(uint32_t number) const;
};

} // namespace sim::cuda
