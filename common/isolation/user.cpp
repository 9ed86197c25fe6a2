#include "isolation/user.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation/isolation.h"

namespace isolation {
namespace {

bool has_processes(uid_t user) {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator("/proc", problem)) {
        struct stat status {};
        if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) &&
            stat(entry.path().c_str(), &status) == 0 && status.st_uid == user)
            return true;
    }
    return false;
}

} // namespace

// Not by the C library's functions: they would change the other threads, too, and after vfork these are the parent's.
bool become(uid_t user) {
    return syscall(SYS_setgroups, 0, nullptr) == 0 && syscall(SYS_setresgid, user, user, user) == 0 &&
           syscall(SYS_setresuid, user, user, user) == 0 &&
           prctl(PR_SET_PDEATHSIG, SIGKILL) == 0; // changing users clears it
}

uid_t throwaway_user() {
    if (geteuid() != 0)
        return 0;
    // Far above the ids of people and packages; in a user namespace, the upper half of its range.
    uint64_t first = 0, outside = 0, count = 0;
    std::ifstream("/proc/self/uid_map") >> first >> outside >> count;
    const uint64_t end = std::min<uint64_t>(first + count, 2'000'000'000);
    const uint64_t begin = end > 1'600'000'000 ? 1'600'000'000 : std::max<uint64_t>(end / 2, 1000);
    if (end <= begin + 1000)
        return 0;
    static uint64_t calls = 0; // killing all processes of one user must not hit another run
    uint64_t user = begin + (static_cast<uint64_t>(getpid()) + 7919 * calls++) % (end - begin);
    while (has_processes(static_cast<uid_t>(user)))
        user = user + 1 < end ? user + 1 : begin;
    return static_cast<uid_t>(user);
}

void end_all_of(uid_t user) {
    if (!user || geteuid() != 0)
        return;
    // From a process of that user: the kernel then signals all of them at once, however fast they fork.
    for (int round = 0; round < 50 && has_processes(user); ++round) {
        const pid_t killer = vfork();
        if (killer == 0) {
            if (become(user))
                kill(-1, SIGKILL);
            _exit(0);
        }
        waitpid(killer, nullptr, 0);
        usleep(1000);
    }
}

} // namespace isolation
