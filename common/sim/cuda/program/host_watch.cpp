#include "sim/cuda/program/host_watch.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

#include <csignal>
#include <execinfo.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/cuda/wire/command.h"

namespace sim::cuda {

namespace {

constexpr uint64_t page = 4096;
constexpr int trap_flag = 0x100;   // of EFLAGS
constexpr int fault_was_write = 2; // bit of the page fault's error code

// A signal handler uses these, so they are fixed in size and guarded by a spin lock. Nothing done under the lock can
// fault, so a handler never interrupts its own thread's holder.
constexpr size_t max_copies = 4096;
WatchedCopy copies[max_copies];
size_t copy_count = 0;
EarlyAccess accesses[64];
size_t access_count = 0;
NotedAccess noted[16384];
std::atomic<size_t> noted_count = 0;
HostCode codes[512];
size_t code_count = 0;
/// Pages of kernels' memory where enough accesses have been noted: so many of one page, and it is opened.
constexpr uint32_t noted_of_page = 64;
struct NotedPage {
    uint64_t page;
    uint32_t count;
};
NotedPage noted_pages[4096]; // by hash; a page that takes another's place may be noted again
std::atomic_flag locked = ATOMIC_FLAG_INIT;
HostWatch::Lookup lookup = nullptr;
HostWatch::Report before_the_end = nullptr;
struct sigaction previous_segv, previous_trap;

thread_local uint64_t stepped[4]; // pages opened for the instruction that is being stepped over
thread_local int stepped_count = 0;

class Guard {
  public:
    Guard() {
        while (locked.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Guard() { locked.clear(std::memory_order_release); }
};

uint64_t first_page(const WatchedCopy& copy) {
    return copy.address / page * page;
}
uint64_t end_page(const WatchedCopy& copy) {
    return (copy.address + (copy.rows - 1) * copy.pitch + copy.width + page - 1) / page * page;
}

bool holds(const WatchedCopy& copy, uint64_t address) {
    if (address < copy.address)
        return false;
    const uint64_t offset = address - copy.address;
    if (copy.rows == 1)
        return offset < copy.width;
    return offset / copy.pitch < copy.rows && offset % copy.pitch < copy.width;
}

NotedPage& noted_page(uint64_t address) {
    return noted_pages[address / page * 0x9E3779B97F4A7C15u >> 52];
}
bool is_noted_enough(uint64_t address) {
    const NotedPage& known = noted_page(address);
    return (known.page == address / page * page && known.count >= noted_of_page) || noted_count == std::size(noted);
}

int protection(uint64_t address, bool with_kernels = true) {
    int allowed = PROT_READ | PROT_WRITE;
    for (size_t i = 0; i < copy_count; ++i)
        if (address >= first_page(copies[i]) && address < end_page(copies[i]) && (with_kernels || !copies[i].of_kernel))
            allowed &= copies[i].destination || copies[i].of_kernel ? PROT_NONE : PROT_READ;
    return allowed;
}

// The number of an instruction that has just been interrupted. May be called in a signal handler.
HostCode code_at(const void* code) {
    HostCode found;
    void* frames[40];
    const int count = backtrace(frames, static_cast<int>(std::size(frames)));
    void** const end = frames + count;
    void** const first = std::find(frames, end, code);
    found.frames[found.count++] = code;
    for (void** next = first; next != end && ++next != end && found.count < HostCode::deepest;)
        found.frames[found.count++] = *next;
    return found;
}
uint32_t number_of(const void* code) {
    for (size_t i = 0; i < code_count; ++i)
        if (codes[i].frames[0] == code)
            return static_cast<uint32_t>(i);
    if (code_count == std::size(codes))
        return 0;
    codes[code_count] = code_at(code);
    return static_cast<uint32_t>(code_count++);
}

void note(uint64_t address, bool write, const void* code) {
    if (const size_t count = noted_count; count && !write) { // a poll says nothing new
        const NotedAccess& last = noted[count - 1];
        if (!last.write && last.address == address && codes[last.code].frames[0] == code)
            return;
    }
    NotedPage& known = noted_page(address);
    if (known.page != address / page * page)
        known = {address / page * page, 0};
    ++known.count;
    if (noted_count < std::size(noted))
        noted[noted_count++] = {address, number_of(code), write};
}

// Gives each page of [first, end) the protection that the remaining copies ask for.
void protect(uint64_t first, uint64_t end) {
    while (first < end) {
        const int allowed = protection(first);
        // The protection can change only where a copy begins or ends.
        uint64_t next = end;
        for (size_t i = 0; i < copy_count; ++i)
            for (const uint64_t edge : {first_page(copies[i]), end_page(copies[i])})
                if (edge > first)
                    next = std::min(next, edge);
        mprotect(reinterpret_cast<void*>(first), next - first, allowed);
        first = next;
    }
}

void remove_at(size_t index) {
    const WatchedCopy gone = copies[index];
    copies[index] = copies[--copy_count];
    protect(first_page(gone), end_page(gone));
}

enum class Verdict { not_ours, retry, step };

Verdict judge(uint64_t address, bool write, const void* code) {
    const Guard guard;
    bool ours = false, of_kernel = false;
    for (size_t i = 0; i < copy_count; ++i) {
        const WatchedCopy& copy = copies[i];
        if (address < first_page(copy) || address >= end_page(copy))
            continue;
        ours = true;
        if (copy.of_kernel) {
            of_kernel = of_kernel || holds(copy, address);
            continue;
        }
        if (holds(copy, address) && (copy.destination || write)) {
            if (access_count < std::size(accesses))
                accesses[access_count++] = {copy, address, write, code_at(code)};
            remove_at(i); // said once; the program goes on with what the memory holds now
            return Verdict::retry;
        }
    }
    if (!ours) {
        // Another thread may have removed the copy between the fault and now: try once more before giving up.
        static thread_local uint64_t last = 0;
        const bool again = last != address && address != 0;
        last = again ? address : 0;
        return again ? Verdict::retry : Verdict::not_ours;
    }
    if (of_kernel && !is_noted_enough(address))
        note(address, write, code);
    const uint64_t opened = address / page * page;
    if (is_noted_enough(address)) {
        const int allowed = protection(address, false);
        if ((allowed & (write ? PROT_WRITE : PROT_READ))) {
            mprotect(reinterpret_cast<void*>(opened), page, allowed);
            return Verdict::retry;
        }
    }
    if (stepped_count == static_cast<int>(std::size(stepped)))
        return Verdict::not_ours;
    stepped[stepped_count++] = opened;
    mprotect(reinterpret_cast<void*>(opened), page, PROT_READ | PROT_WRITE);
    return Verdict::step;
}

void write_text(const char* text, int length) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, static_cast<size_t>(std::max(length, 0)));
}

void explain_device_pointer(uint64_t address, const void* code) {
    char text[512];
    uint64_t base = 0, bytes = 0;
    int length = 0;
    const bool known = lookup && lookup(address, base, bytes);
    if (known)
        length =
            std::snprintf(text, sizeof text,
                          "asynclab: the host dereferenced device pointer %#llx (byte %llu of %llu allocated by "
                          "cudaMalloc) at code address %p. Copy it to host memory with cudaMemcpy first.\n",
                          static_cast<unsigned long long>(address), static_cast<unsigned long long>(address - base),
                          static_cast<unsigned long long>(bytes), code);
    else
        length =
            std::snprintf(text, sizeof text,
                          "asynclab: the host dereferenced %#llx, an address of device memory, at code address %p. "
                          "Copy it to host memory with cudaMemcpy first.\n",
                          static_cast<unsigned long long>(address), code);
    write_text(text, std::min(length, static_cast<int>(sizeof text) - 1));
}

void pass_on(const struct sigaction& previous, int signal, siginfo_t* info, void* context) {
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler == SIG_IGN || previous.sa_handler == SIG_DFL) {
        struct sigaction plain {};
        plain.sa_handler = SIG_DFL;
        sigaction(signal, &plain, nullptr); // the instruction runs again and now ends the program
        if (info->si_code <= 0 || signal == SIGTRAP)
            raise(signal);
    } else {
        previous.sa_handler(signal);
    }
}

void on_segv(int signal, siginfo_t* info, void* context) {
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const auto address = reinterpret_cast<uint64_t>(info->si_addr);
    const auto* code = reinterpret_cast<const void*>(registers[REG_RIP]);
    if (info->si_code > 0) {
        switch (judge(address, registers[REG_ERR] & fault_was_write, code)) {
        case Verdict::retry:
            return;
        case Verdict::step:
            registers[REG_EFL] |= trap_flag;
            return;
        case Verdict::not_ours:
            break;
        }
        if (address >= device_base && address - device_base < device_bytes) {
            explain_device_pointer(address, code);
            if (before_the_end)
                std::exchange(before_the_end, nullptr)(address, code_at(code));
        } else if (address >= host_base && address - host_base < host_bytes) {
            static constexpr char text[] =
                "asynclab: the host touched pinned memory that was never allocated or has been freed (cudaFreeHost).\n";
            write_text(text, sizeof text - 1);
        }
    }
    pass_on(previous_segv, signal, info, context);
}

void on_trap(int signal, siginfo_t* info, void* context) {
    if (!stepped_count) {
        pass_on(previous_trap, signal, info, context);
        return;
    }
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    registers[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
    const Guard guard;
    for (int i = 0; i < stepped_count; ++i)
        protect(stepped[i], stepped[i] + page);
    stepped_count = 0;
}

} // namespace

HostWatch& HostWatch::get() {
    static HostWatch watch;
    return watch;
}

void HostWatch::install(Lookup find, Report report) {
    lookup = find;
    before_the_end = report;
    void* frame = nullptr;
    backtrace(&frame, 1); // so that it has loaded what it needs before a handler calls it
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    action.sa_sigaction = on_segv;
    sigaction(SIGSEGV, &action, &previous_segv);
    action.sa_sigaction = on_trap;
    sigaction(SIGTRAP, &action, &previous_trap);
}

bool HostWatch::add(const WatchedCopy& copy) {
    const Guard guard;
    if (copy_count == max_copies)
        return false;
    copies[copy_count++] = copy;
    if (copy.of_kernel)
        std::ranges::fill(noted_pages, NotedPage{});
    protect(first_page(copy), end_page(copy));
    return true;
}

std::vector<WatchedCopy> HostWatch::suspend(std::span<const uint64_t> tickets) {
    std::vector<WatchedCopy> suspended;
    if (tickets.empty())
        return suspended;
    suspended.reserve(max_copies / 64);
    const Guard guard;
    for (size_t i = copy_count; i-- > 0;)
        if (!copies[i].of_kernel && suspended.size() < suspended.capacity() &&
            std::ranges::find(tickets, copies[i].ticket) != tickets.end()) {
            suspended.push_back(copies[i]);
            remove_at(i);
        }
    return suspended;
}

void HostWatch::resume(const std::vector<WatchedCopy>& suspended) {
    for (const WatchedCopy& copy : suspended)
        add(copy);
}

bool HostWatch::covers(uint64_t address, uint64_t bytes) const {
    const Guard guard;
    return std::any_of(copies, copies + copy_count, [&](const WatchedCopy& copy) {
        return address < end_page(copy) && first_page(copy) < address + bytes;
    });
}

bool HostWatch::has_noted() const {
    return noted_count != 0;
}

std::vector<NotedAccess> HostWatch::take_noted() {
    std::vector<NotedAccess> taken;
    taken.reserve(std::size(noted));
    const Guard guard;
    taken.assign(noted, noted + noted_count);
    noted_count = 0;
    return taken;
}

HostCode HostWatch::code(uint32_t number) const {
    const Guard guard;
    return number < code_count ? codes[number] : HostCode{};
}

void HostWatch::remove(uint64_t ticket) {
    const Guard guard;
    for (size_t i = copy_count; i-- > 0;)
        if (copies[i].ticket == ticket)
            remove_at(i);
}

std::vector<WatchedCopy> HostWatch::remove_range(uint64_t address, uint64_t bytes) {
    std::vector<WatchedCopy> gone;
    gone.reserve(max_copies / 64);
    const Guard guard;
    for (size_t i = copy_count; i-- > 0;)
        if (!copies[i].of_kernel && copies[i].address < address + bytes &&
            address < copies[i].address + (copies[i].rows - 1) * copies[i].pitch + copies[i].width) {
            gone.push_back(copies[i]);
            remove_at(i);
        }
    return gone;
}

std::vector<EarlyAccess> HostWatch::take() {
    std::vector<EarlyAccess> taken;
    if (!access_count)
        return taken;
    taken.reserve(std::size(accesses));
    const Guard guard;
    taken.assign(accesses, accesses + access_count);
    access_count = 0;
    return taken;
}

} // namespace sim::cuda
