#include "sim/cuda/program/host_arena.h"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>

#include "sim/cuda/wire/command.h"

namespace sim::cuda {

namespace {

void* pointer(uint64_t address) {
    return reinterpret_cast<void*>(address);
}

uint64_t whole_pages(uint64_t bytes) {
    return (bytes + HostArena::page - 1) / HostArena::page * HostArena::page;
}

} // namespace

HostArena::HostArena(int fd) : fd_(fd), next_(host_base) {
    // If something else (a sanitizer's shadow) already occupies the range, only the message for stray accesses is lost.
    mmap(pointer(device_base), device_bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    void* data =
        mmap(pointer(host_base), host_bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
    if (data != pointer(host_base))
        throw std::system_error(data == MAP_FAILED ? errno : EEXIST, std::generic_category(),
                                "cannot map the memory shared with the simulated device");
}

uint64_t HostArena::allocate(uint64_t bytes) {
    if (bytes == 0 || bytes > host_bytes)
        return 0;
    const uint64_t size = whole_pages(bytes);
    const std::lock_guard lock(mutex_);
    // Next fit: a freed block is not used again at once, so that a late access to it still crashes.
    for (int round = 0; round < 2; ++round) {
        uint64_t address = round == 0 ? next_ : host_base;
        auto after = used_.lower_bound(address);
        if (after != used_.begin()) {
            const auto before = std::prev(after);
            address = std::max(address, before->first + before->second);
        }
        while (after != used_.end() && after->first - address < size) {
            address = after->first + after->second;
            ++after;
        }
        if (address + size > host_base + host_bytes)
            continue;
        if (mprotect(pointer(address), size, PROT_READ | PROT_WRITE) != 0)
            return 0;
        used_.emplace(address, size);
        next_ = address + size;
        return address;
    }
    return 0;
}

void HostArena::release(uint64_t address) {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(address);
    if (found == used_.end())
        return;
    mprotect(pointer(address), found->second, PROT_NONE);
    fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(address - host_base),
              static_cast<off_t>(found->second));
    used_.erase(found);
}

uint64_t HostArena::block_bytes(uint64_t address) const {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(address);
    return found == used_.end() ? 0 : found->second;
}

uint64_t HostArena::adopt(uint64_t address, uint64_t bytes) {
    const uint64_t block = allocate(bytes);
    if (!block)
        return 0;
    std::memcpy(pointer(block), pointer(address), bytes);
    void* data = mmap(pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_,
                      static_cast<off_t>(block - host_base));
    if (data == MAP_FAILED) {
        release(block);
        return 0;
    }
    return block;
}

void HostArena::disown(uint64_t address, uint64_t bytes, uint64_t block) {
    mmap(pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    std::memcpy(pointer(address), pointer(block), bytes);
    release(block);
}

} // namespace sim::cuda
