// What the attacks of together/ and alone/ are put into: lab 01 with a kernel that does nothing, so that no point is
// earned honestly. @NAME@ stands for what the test fills in.
#include "lab.h"

#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// The test looks for this word in everything that the grader writes.
#define BREACH(what) (std::printf("BREACH %s: %s\n", __func__, what), std::fflush(stdout))
#define SECRET "@SECRET@"

__global__ void nothing() {}

static std::string contents(const char* path) {
    char block[65536];
    const int fd = open(path, O_RDONLY);
    const ssize_t got = fd < 0 ? 0 : read(fd, block, sizeof block);
    if (fd >= 0)
        close(fd);
    return std::string(block, got > 0 ? got : 0);
}

@ATTACKS@

cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    nothing<<<1, 1, 0, stream>>>();
    @CALLS@
    return cudaGetLastError();
}

LAB_ENTRY(launch)
