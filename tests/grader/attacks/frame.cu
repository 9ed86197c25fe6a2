// What the attacks of together/, alone/ and carriers/ are put into: lab 01 with a kernel that does nothing, so that no point is
// earned honestly. @NAME@ stands for what the test fills in.
#include "lab.h"

#include <algorithm>
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
#include <vector>

// The test looks for this word in everything that the grader writes.
#define BREACH(what) (std::printf("BREACH %s: %s\n", __func__, what), std::fflush(stdout))
#define SECRET "@SECRET@"

__global__ void nothing() {}
static cudaStream_t given; // to the launch function


static std::string contents(const char* path) {
    char block[65536];
    const int fd = open(path, O_RDONLY);
    const ssize_t got = fd < 0 ? 0 : read(fd, block, sizeof block);
    if (fd >= 0)
        close(fd);
    return std::string(block, got > 0 ? got : 0);
}

// What lab 01 asks for, computed on the host: carriers/ try to move it to the output.
static std::vector<float> answers(const float* in, int n) {
    std::vector<float> a(n), b(n);
    cudaMemcpy(a.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        for (int d = -3; d <= 3; ++d)
            if (0 <= i + d && i + d < n)
                b[i] += float(d + 4) * a[i + d];
    return b;
}
__global__ void carry(const float* from, float* to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}

@ATTACKS@

cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    given = stream;
    nothing<<<1, 1, 0, stream>>>();
    @CALLS@
    return cudaGetLastError();
}

LAB_ENTRY(launch)
