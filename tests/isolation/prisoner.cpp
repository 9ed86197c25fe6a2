// Locks itself into the device's box and tries to leave it. Prints a line for each attempt, then waits for its standard
// input to close, so that the test can look at it from outside. `prisoner spin`: uses processor time instead.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "isolation/device_box.h"
#include "isolation/isolation.h"

namespace {

void report(const char* what, bool done) {
    std::printf("%s: %s\n", what, done ? "done" : strerrorname_np(errno));
}
// By the system call itself: the C library may take another way.
template <class... A>
void attempt(const char* what, long number, A... arguments) {
    report(what, syscall(number, arguments...) >= 0);
}
template <class... A>
bool starts_process(long number, A... arguments) {
    const long child = syscall(number, arguments...);
    if (child == 0)
        _exit(0);
    return child > 0;
}

void try_to_leave(pid_t parent) {
    const std::string memory = "/proc/" + std::to_string(parent) + "/mem";
    char byte = 0;
    iovec here{&byte, 1}, there{&environ, 1};
    attempt("open a file", SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
    attempt("open a device", SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY);
    attempt("open by the old call", SYS_open, "/etc/passwd", O_RDONLY);
    attempt("make a file", SYS_openat, AT_FDCWD, "/tmp/prisoner", O_CREAT | O_WRONLY, 0600);
    attempt("ask for a file", SYS_newfstatat, AT_FDCWD, "/etc/passwd", &byte, 0);
    attempt("open the parent's memory", SYS_openat, AT_FDCWD, memory.c_str(), O_RDONLY);
    attempt("read the parent's memory", SYS_process_vm_readv, parent, &here, 1, &there, 1, 0);
    attempt("trace the parent", SYS_ptrace, PTRACE_ATTACH, parent, 0, 0);
    attempt("signal the parent", SYS_kill, parent, SIGCONT);
    attempt("signal a thread of the parent's", SYS_tgkill, parent, parent, SIGCONT);
    attempt("change the parent's limits", SYS_prlimit64, parent, RLIMIT_CPU, nullptr, nullptr);
    attempt("make a network socket", SYS_socket, AF_INET, SOCK_STREAM, 0);
    attempt("make a local socket", SYS_socket, AF_UNIX, SOCK_STREAM, 0);
    report("fork", starts_process(SYS_fork));
    report("vfork as clone", starts_process(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    char* const nothing[] = {nullptr};
    attempt("start a program", SYS_execve, "/bin/true", nothing, nothing);
    attempt("be traced", SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
    attempt("be root", SYS_setresuid, 0, 0, 0);
    attempt("be looked at", SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
    attempt("outlive the parent", SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0);
    attempt("another user namespace", SYS_unshare, CLONE_NEWUSER);
    attempt("make a memory file", SYS_memfd_create, "more", 0);
    attempt("make memory executable", SYS_mmap, nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
            0);
    attempt("share memory that no limit counts", SYS_mmap, nullptr, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    attempt("raise a limit", SYS_setrlimit, RLIMIT_DATA, nullptr);
    attempt("use io_uring", SYS_io_uring_setup, 1, nullptr);
    attempt("allocate beyond the limit", SYS_mmap, nullptr, size_t{512} << 20, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// What the device needs.
void work_inside() {
    bool ran = false;
    try {
        std::thread([&] { ran = true; }).join();
    } catch (const std::exception&) {
    }
    report("a thread", ran);
    auto* memory = static_cast<char*>(std::malloc(64 << 20));
    if (memory)
        std::memset(memory, 1, 64 << 20);
    report("memory", memory);
    bool caught = false;
    try {
        throw 1;
    } catch (int) {
        caught = true;
    }
    report("an exception", caught);
}

} // namespace

int main(int argc, char** argv) {
    const pid_t parent = getppid();
    const bool spin = argc > 1 && std::string(argv[1]) == "spin";
    const std::string refused = isolation::enter(
        {.user = isolation::throwaway_user(), .data_bytes = size_t{256} << 20, .processor_seconds = spin ? 1u : 60u});
    std::printf("box: %s\n", refused.empty() ? "entered" : refused.c_str());
    std::fflush(stdout);
    for (volatile unsigned i = 0; spin;)
        i = i + 1;
    try_to_leave(parent);
    work_inside();
    std::fflush(stdout);
    char byte;
    return read(0, &byte, 1) == 0 ? 0 : 1;
}
