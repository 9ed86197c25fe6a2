// When cicc comes to the end of a program, it writes to nearly all that it has made of the headers. In a copy
// each page of that is a fault, 47,000 of them for cuda/barrier. To copy them at once into huge pages takes two thirds
// of the time, and cicc is faster in huge pages; without any it makes no difference.
#include "compile/servers/own_pages.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace servers {
namespace {

constexpr uintptr_t page = 4096, block = uintptr_t{2} << 20;

struct Range {
    uintptr_t begin = 0, end = 0;
};

// Are most of the pages of a block there?
bool is_used(uintptr_t at) {
    unsigned char there[block / page];
    size_t count = 0;
    if (mincore(reinterpret_cast<void*>(at), block, there) != 0)
        return false;
    for (const unsigned char one : there)
        count += one & 1;
    return count >= block / page / 2;
}

void replace(Range run) {
    const size_t size = run.end - run.begin;
    void* const room = mmap(nullptr, size + block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(room), copy = (begin + block - 1) / block * block;
    void* const target = reinterpret_cast<void*>(copy);
    madvise(target, size, MADV_HUGEPAGE);
    madvise(target, size, MADV_POPULATE_WRITE); // small ones, if there are no huge ones
    std::memcpy(target, reinterpret_cast<void*>(run.begin), size);
    if (mremap(target, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(run.begin)) == MAP_FAILED)
        munmap(target, size);
    if (copy > begin)
        munmap(room, copy - begin);
    munmap(reinterpret_cast<void*>(copy + size), begin + block - copy);
}

void replace_used(Range memory) {
    Range run;
    for (uintptr_t at = (memory.begin + block - 1) / block * block; at + block <= memory.end; at += block) {
        if (is_used(at)) {
            if (run.end != at)
                run.begin = at;
            run.end = at + block;
            if (at + 2 * block <= memory.end)
                continue;
        }
        if (run.end > run.begin)
            replace(run);
        run = {};
    }
}

// "BEGIN-END rw-p OFFSET DEVICE 0 [heap]": memory that belongs to no file. Not the stack: this runs on it.
bool is_own(const char* line, Range& range) {
    char* at = nullptr;
    range.begin = std::strtoull(line, &at, 16);
    range.end = std::strtoull(at + 1, &at, 16);
    return range.end - range.begin >= block && std::strncmp(at, " rw-p ", 6) == 0 && std::strstr(at, " 00:00 0 ") &&
           !std::strstr(at, "[stack]");
}

} // namespace

void own_pages() {
    static char text[1 << 16];
    Range list[64];
    size_t used = 0, count = 0;
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (ssize_t got; used + 1 < sizeof text && (got = read(file, text + used, sizeof text - 1 - used)) > 0;)
        used += static_cast<size_t>(got);
    close(file);
    for (char* line = text; char* const end = std::strchr(line, '\n'); line = end + 1) {
        *end = 0;
        if (count < sizeof list / sizeof *list && is_own(line, list[count]))
            ++count;
    }
    for (size_t i = 0; i < count; ++i) // not while they are listed: each changes the list
        replace_used(list[i]);
}

} // namespace servers
