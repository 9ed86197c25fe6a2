// Runs a program whose device is in this process, as a checker does, and says what was found.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cuda/device/server.h"
#include "sim/cuda/device/service.h"
#include "sim/cuda/in_process/findings.h"
#include "sim/cuda/program/session.h"

int main(int, char** arguments) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        char device[32];
        std::snprintf(device, sizeof device, "fd:%d", ends[1]);
        setenv("ASYNCLAB_DEVICE", device, 1);
        execv(arguments[1], arguments + 1);
        _exit(127);
    }
    close(ends[1]);
    sim::cuda::Service service(sim::cuda::Session::get().device_options());
    const bool clean = serve(service, ends[0]) == sim::cuda::Served::closed;
    service.drain();
    sim::cuda::print(service.gpu().reporter(), "");
    int status = 0;
    waitpid(child, &status, 0);
    if (!clean)
        return 126;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        kill(getpid(), WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
