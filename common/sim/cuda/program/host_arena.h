// The program's view of the memory that it shares with the device: pinned, managed, registered and staging memory.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace sim::cuda {

class HostArena {
  public:
    /// Maps the shared memory file at host_base and reserves the device's address range without access, so that a host
    /// access to device memory is a crash. Throws std::system_error.
    explicit HostArena(int fd);

    static constexpr uint64_t page = 4096;

    /// `bytes` rounded up to pages, readable and writable, zeroed; 0 when the arena is full.
    uint64_t allocate(uint64_t bytes);
    /// Gives the pages back; a later access crashes.
    void release(uint64_t address);
    /// Bytes of the block that starts at `address`; 0 if there is none.
    uint64_t block_bytes(uint64_t address) const;

    /// Replaces the pages at [address, + bytes), page-aligned, by a block of the arena with the same contents, so that
    /// the device shares them. Returns the block, 0 on failure.
    uint64_t adopt(uint64_t address, uint64_t bytes);
    /// Undoes adopt().
    void disown(uint64_t address, uint64_t bytes, uint64_t block);

  private:
    int fd_;
    mutable std::mutex mutex_;
    std::map<uint64_t, uint64_t> used_;
    uint64_t next_;
};

} // namespace sim::cuda
