#include "sim/cuda/device/shared_memory.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cuda/wire/command.h"

namespace sim::cuda {

SharedMemory::SharedMemory(bool at_home) {
    fd_ = memfd_create("pinned", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd_ < 0)
        throw std::system_error(errno, std::generic_category(), "cannot create shared memory for the simulated device");
    void* data = MAP_FAILED;
    if (ftruncate(fd_, static_cast<off_t>(host_bytes)) == 0 &&
        fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        data = mmap(at_home ? reinterpret_cast<void*>(host_base) : nullptr, host_bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE | (at_home ? MAP_FIXED_NOREPLACE : 0), fd_, 0);
    if (data == MAP_FAILED) {
        const int error = errno;
        close(fd_);
        throw std::system_error(error, std::generic_category(), "cannot map shared memory for the simulated device");
    }
    data_ = static_cast<std::byte*>(data);
}

SharedMemory::SharedMemory(Descriptor made) : ours_(false), fd_(static_cast<int>(made)) {
    void* data = mmap(nullptr, host_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
    if (data == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), "cannot map shared memory for the simulated device");
    data_ = static_cast<std::byte*>(data);
}

SharedMemory::~SharedMemory() {
    munmap(data_, host_bytes);
    if (ours_)
        close(fd_);
}

void SharedMemory::clear() {
    if (used(fd_) && fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(host_bytes)) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot clear the simulated device's shared memory");
}

uint64_t SharedMemory::used(int fd) {
    struct stat status {};
    return fstat(fd, &status) == 0 ? static_cast<uint64_t>(status.st_blocks) * 512 : 0;
}

std::byte* SharedMemory::at(uint64_t address, uint64_t bytes) const {
    if (address < host_base || address - host_base > host_bytes || bytes > host_bytes - (address - host_base))
        return nullptr;
    return data_ + (address - host_base);
}

} // namespace sim::cuda
