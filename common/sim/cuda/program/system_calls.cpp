// Functions of the C library that let the operating system read or write the program's memory. Where pages are
// protected (host_watch.h), it would return EFAULT and call no handler, so the pages are opened for the time of the
// call.
#include <cstdio>

#include <dlfcn.h>
#include <sys/types.h>

#include "sim/cuda/program/host_watch.h"

namespace sim::cuda {

namespace {

class Opened {
  public:
    Opened(const void* memory, size_t bytes, bool write, const void* frame)
        : address_(reinterpret_cast<uint64_t>(memory)), bytes_(bytes),
          watched_(bytes && HostWatch::get().open(address_, bytes, write, frame)) {}
    ~Opened() {
        if (watched_)
            HostWatch::get().close(address_, bytes_);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

  private:
    uint64_t address_, bytes_;
    bool watched_;
};

template <typename Function>
Function* of_the_c_library(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

} // namespace sim::cuda

#define ASYNCLAB_SYSTEM_CALL(result, name, c_name, memory, bytes, write, parameters, ...)                              \
    extern "C" __attribute__((visibility("default"))) result name parameters __asm__(c_name);                          \
    result name parameters {                                                                                           \
        static const auto real = sim::cuda::of_the_c_library(&name, c_name);                                           \
        const sim::cuda::Opened opened(memory, bytes, write, __builtin_return_address(0));                             \
        return real(__VA_ARGS__);                                                                                      \
    }
#define ASYNCLAB_READS(name, ...) ASYNCLAB_SYSTEM_CALL(ssize_t, read_by_##name, #name, to, n, true, __VA_ARGS__)
#define ASYNCLAB_WRITES(name, ...) ASYNCLAB_SYSTEM_CALL(ssize_t, write_by_##name, #name, from, n, false, __VA_ARGS__)
ASYNCLAB_READS(read, (int file, void* to, size_t n), file, to, n)
ASYNCLAB_READS(pread, (int file, void* to, size_t n, off_t at), file, to, n, at)
ASYNCLAB_READS(pread64, (int file, void* to, size_t n, off_t at), file, to, n, at)
ASYNCLAB_READS(recv, (int file, void* to, size_t n, int how), file, to, n, how)
ASYNCLAB_WRITES(write, (int file, const void* from, size_t n), file, from, n)
ASYNCLAB_WRITES(pwrite, (int file, const void* from, size_t n, off_t at), file, from, n, at)
ASYNCLAB_WRITES(pwrite64, (int file, const void* from, size_t n, off_t at), file, from, n, at)
ASYNCLAB_WRITES(send, (int file, const void* from, size_t n, int how), file, from, n, how)
ASYNCLAB_SYSTEM_CALL(size_t, read_by_fread, "fread", to, size* n, true, (void* to, size_t size, size_t n, FILE* file),
                     to, size, n, file)
ASYNCLAB_SYSTEM_CALL(size_t, write_by_fwrite, "fwrite", from, size* n, false,
                     (const void* from, size_t size, size_t n, FILE* file), from, size, n, file)
#undef ASYNCLAB_READS
#undef ASYNCLAB_WRITES
#undef ASYNCLAB_SYSTEM_CALL
