#include "runner/standard_input.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace runner {
namespace {

/// Does it wait for input? A program that never asks must not take the input of a script that calls us in a loop.
bool asks_for_input(pid_t program) {
    constexpr std::array waits{SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_wait, SYS_epoll_pwait};
    std::error_code error;
    for (const auto& thread :
         std::filesystem::directory_iterator("/proc/" + std::to_string(program) + "/task", error)) {
        std::ifstream file(thread.path() / "syscall");
        std::string call, first;
        if (!(file >> call))
            return true; // the system does not say
        if (call == "running" || !(file >> first))
            continue;
        const long number = std::atol(call.c_str());
        if ((number == SYS_read || number == SYS_readv) && std::strtoul(first.c_str(), nullptr, 16) == 0)
            return true;
        for (const long wait : waits)
            if (number == wait)
                return true;
    }
    return false;
}

} // namespace

StandardInput& StandardInput::get() {
    static StandardInput input;
    return input;
}

StandardInput::StandardInput() {
    struct stat about {};
    if (fstat(0, &about) != 0)
        return;
    pipe_ = S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode);
    if (S_ISREG(about.st_mode))
        began_ = lseek(0, 0, SEEK_CUR);
}

StandardInput::Run::Run(StandardInput& input) : input_(input) {
    if (input_.began_ >= 0) {
        fd_ = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC); // with a position of its own
        if (fd_ >= 0)
            lseek(fd_, input_.began_, SEEK_SET);
        return;
    }
    int ends[2];
    if (!input_.pipe_ || pipe2(ends, O_CLOEXEC) != 0)
        return;
    fd_ = ends[0];
    feed_ = ends[1];
    fcntl(feed_, F_SETFL, O_NONBLOCK);
}

void StandardInput::Run::started(pid_t program) {
    if (feed_ < 0 || pipe2(stop_, O_CLOEXEC) != 0)
        return;
    close(fd_); // so that writing fails once the program has closed its own
    fd_ = -1;
    feeder_ = std::thread([this, program] {
        input_.feed(feed_, stop_[0], program);
        close(feed_);
    });
}

StandardInput::Run::~Run() {
    if (feeder_.joinable()) {
        close(stop_[1]);
        feeder_.join();
        close(stop_[0]);
    } else if (feed_ >= 0) {
        close(feed_);
    }
    if (fd_ >= 0)
        close(fd_);
}

bool StandardInput::read_more() {
    char some[1 << 16];
    const ssize_t got = read(0, some, sizeof some);
    if (got > 0)
        kept_.append(some, size_t(got));
    ended_ = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
    return !ended_;
}

void StandardInput::feed(int into, int stop, pid_t program) {
    sigset_t broken;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, nullptr);
    size_t sent = 0;
    bool asked = !kept_.empty();
    while (!ended_ || sent < kept_.size()) {
        const bool write_next = sent < kept_.size();
        pollfd waits[2] = {{stop, POLLIN, 0}, {write_next ? into : 0, short(write_next ? POLLOUT : POLLIN), 0}};
        if (poll(waits, asked ? 2 : 1, asked ? -1 : 1) < 0 && errno != EINTR)
            return;
        if (waits[0].revents)
            return;
        if (!asked) {
            asked = asks_for_input(program);
        } else if (write_next && waits[1].revents) {
            const ssize_t done = write(into, kept_.data() + sent, kept_.size() - sent);
            if (done < 0 && errno != EAGAIN && errno != EINTR)
                return; // it reads no more
            sent += done > 0 ? size_t(done) : 0;
        } else if (waits[1].revents) {
            read_more();
        }
    }
}

} // namespace runner
