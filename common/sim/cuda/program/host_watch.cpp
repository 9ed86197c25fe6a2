#include "sim/cuda/program/host_watch.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <csignal>
#include <execinfo.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/cuda/program/segmentation_fault.h"
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

// `code`: an instruction that has just been interrupted, or a call, which returns to `frame`. May be called in a signal
// handler.
HostCode code_at(const void* code, const void* frame) {
    HostCode found;
    void* frames[40];
    const int count = backtrace(frames, static_cast<int>(std::size(frames)));
    void** const end = frames + count;
    void** const first = std::find(frames, end, frame);
    found.frames[found.count++] = code;
    for (void** next = first; next != end && ++next != end && found.count < HostCode::deepest;)
        found.frames[found.count++] = *next;
    return found;
}
uint32_t number_of(const void* code, const void* frame) {
    for (size_t i = 0; i < code_count; ++i)
        if (codes[i].frames[0] == code)
            return static_cast<uint32_t>(i);
    if (code_count == std::size(codes))
        return 0;
    codes[code_count] = code_at(code, frame);
    return static_cast<uint32_t>(code_count++);
}

void note(uint64_t address, bool write, const void* code, const void* frame) {
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
        noted[noted_count++] = {address, number_of(code, frame), write};
}

/// The first byte in [first, end) that the copy holds, or `end`.
uint64_t first_held(const WatchedCopy& copy, uint64_t first, uint64_t end) {
    first = std::max(first, copy.address);
    if (first >= end || holds(copy, first))
        return std::min(first, end);
    if (copy.rows == 1 || (first - copy.address) / copy.pitch + 1 >= copy.rows)
        return end;
    return std::min(end, copy.address + ((first - copy.address) / copy.pitch + 1) * copy.pitch);
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

/// The copies for which `wanted` holds, which are then watched no longer. The program's heap may be on watched pages,
/// so nothing is put there under the lock.
template <class Wanted>
std::vector<WatchedCopy> take_out(Wanted wanted) {
    static thread_local WatchedCopy some[8];
    std::vector<WatchedCopy> all;
    for (size_t count = std::size(some); count == std::size(some); all.insert(all.end(), some, some + count)) {
        count = 0;
        const Guard guard;
        for (size_t i = copy_count; i-- > 0 && count < std::size(some);)
            if (!copies[i].of_kernel && wanted(copies[i])) {
                some[count++] = copies[i];
                remove_at(i);
            }
    }
    return all;
}

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
                accesses[access_count++] = {copy, address, write, code_at(code, code)};
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
        note(address, write, code, code);
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
        const bool of_device = address >= device_base && address - device_base < device_bytes;
        const bool freed = address >= host_base && address - host_base < host_bytes;
        if (of_device)
            explain_device_pointer(address, code, lookup);
        if (freed)
            explain_freed_memory();
        if ((of_device || freed) && before_the_end)
            std::exchange(before_the_end, nullptr)(address, code_at(code, code));
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
    return take_out([&](const WatchedCopy& copy) { return std::ranges::find(tickets, copy.ticket) != tickets.end(); });
}

void HostWatch::resume(const std::vector<WatchedCopy>& suspended) {
    for (const WatchedCopy& copy : suspended)
        add(copy);
}

bool HostWatch::open(uint64_t address, uint64_t bytes, bool write, const void* frame) {
    constexpr uint64_t apart = page / noted_of_page;
    const void* const code = static_cast<const char*>(frame) - 1;
    const uint64_t end = address + bytes;
    const Guard guard;
    bool watched = false;
    for (size_t i = copy_count; i-- > 0;) {
        const WatchedCopy copy = copies[i];
        if (first_page(copy) >= end || end_page(copy) <= address)
            continue;
        watched = true;
        uint64_t at = first_held(copy, address, end);
        for (; copy.of_kernel && at < end && holds(copy, at) && !is_noted_enough(at); at += apart)
            note(at, write, code, frame);
        if (!copy.of_kernel && at < end && (copy.destination || write)) {
            if (access_count < std::size(accesses))
                accesses[access_count++] = {copy, at, write, code_at(code, frame)};
            remove_at(i);
        }
        at = std::max(first_page(copy), address / page * page);
        mprotect(reinterpret_cast<void*>(at), std::min(end_page(copy), end) - at, PROT_READ | PROT_WRITE);
    }
    return watched;
}

void HostWatch::close(uint64_t address, uint64_t bytes) {
    const Guard guard;
    for (size_t i = 0; i < copy_count; ++i) {
        const uint64_t first = std::max(first_page(copies[i]), address / page * page);
        const uint64_t end = std::min(end_page(copies[i]), (address + bytes + page - 1) / page * page);
        if (first < end)
            protect(first, end);
    }
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
    static NotedAccess taken[std::size(noted)]; // one thread at a time asks
    size_t count = 0;
    {
        const Guard guard;
        std::copy_n(noted, count = noted_count.exchange(0), taken);
    }
    return {taken, taken + count};
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
    return take_out([&](const WatchedCopy& copy) {
        return copy.address < address + bytes && address < copy.address + (copy.rows - 1) * copy.pitch + copy.width;
    });
}

std::vector<EarlyAccess> HostWatch::take() {
    static thread_local EarlyAccess some[8];
    std::vector<EarlyAccess> all;
    for (size_t count = 0; access_count; all.insert(all.end(), some, some + count)) {
        const Guard guard;
        count = std::min(access_count, std::size(some));
        std::copy_n(accesses, count, some);
        std::copy(accesses + count, accesses + std::exchange(access_count, access_count - count), accesses);
    }
    return all;
}

} // namespace sim::cuda
