// Memory that the program and the device share: a sealed memory file, so that neither side can shrink it under the
// other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim::cuda {

class SharedMemory {
  public:
    /// A new sparse file of host_bytes, sealed against resizing, and a mapping of it. Throws std::system_error.
    /// `at_home`: where the program has it, too, so that a GPU reaches it by the program's addresses.
    explicit SharedMemory(bool at_home = false);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    int fd() const { return fd_; }
    /// The device's pointer to host address `address`; nullptr unless the whole range is in [host_base, + host_bytes).
    std::byte* at(uint64_t address, uint64_t bytes) const;

  private:
    int fd_ = -1;
    std::byte* data_ = nullptr;
};

} // namespace sim::cuda
