// Memory that the program and the device share: a sealed memory file, so that neither side can shrink it under the
// other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim::cuda {

class SharedMemory {
  public:
    /// Number of an open file.
    enum class Descriptor : int {};
    /// A new sparse file of host_bytes, sealed against resizing, and a mapping of it. Throws std::system_error.
    /// `at_home`: where the program has it, too, so that a GPU reaches it by the program's addresses.
    explicit SharedMemory(bool at_home = false);
    /// One that another process has made and sealed; maps it, and leaves the descriptor to the caller.
    explicit SharedMemory(Descriptor made);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    int fd() const { return fd_; }
    /// Everything in it is 0 again, and takes no memory.
    void clear();
    /// How much of it takes memory now, in bytes.
    static uint64_t used(int fd);
    /// The device's pointer to host address `address`; nullptr unless the whole range is in [host_base, + host_bytes).
    std::byte* at(uint64_t address, uint64_t bytes) const;

  private:
    bool ours_ = true; ///< the descriptor
    int fd_ = -1;
    std::byte* data_ = nullptr;
};

} // namespace sim::cuda
