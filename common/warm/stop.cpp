// Loaded into a compiler (LD_PRELOAD), which reads the headers of a program and then a file rest.ii. There it stops and
// becomes a server. For each request it forks, and the copy goes on with the request's file as rest.ii. So the headers
// are read once, and what comes out is what this compiler makes of the whole text.
//
// Descriptor 3 is the socket that listens. A request is one packet (see request.h). The answer is one packet with the
// status as waitpid gives it. A client that closes the connection before that ends the work.
#undef _FILE_OFFSET_BITS // open and open64 are two functions here

#include "warm/request.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace warm;

constexpr int most_jobs = 16;

struct Job {
    int connection = -1;
    pid_t child = 0;
};
Job jobs[most_jobs];

/// A file "out.NAME" that was opened for writing before the stop.
struct Opened {
    char name[name_bytes] = {};
    int descriptor = -1;
};
Opened opened[max_outputs];

bool working = false; // in a copy, which has a request
Request request;
int descriptors[2 + max_outputs]; // the request's

const char* last_part(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool is_rest(const char* path) {
    return std::strcmp(last_part(path), "rest.ii") == 0;
}

// The NAME of "out.NAME"; null: it is another file.
const char* output_name(const char* path) {
    const char* name = last_part(path);
    return std::strncmp(name, "out.", 4) == 0 ? name + 4 : nullptr;
}

// Where the request wants it; outputs that it does not ask for go nowhere.
int wanted(const char* name) {
    for (uint32_t i = 0; i < request.outputs; ++i)
        if (std::strcmp(request.names[i], name) == 0)
            return dup(descriptors[2 + i]);
    return open("/dev/null", O_RDWR);
}

void remember(const char* name, int descriptor) {
    for (Opened& one : opened)
        if (one.descriptor < 0) {
            std::snprintf(one.name, sizeof one.name, "%s", name);
            one.descriptor = descriptor;
            return;
        }
}

bool receive(int connection) {
    iovec part{&request, sizeof request};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != sizeof request || request.outputs > max_outputs)
        return false;
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN((2 + request.outputs) * sizeof(int)))
        return false;
    std::memcpy(descriptors, CMSG_DATA(header), (2 + request.outputs) * sizeof(int));
    return true;
}

// What the compiler has already written to its outputs belongs to each request's.
void redirect(Opened& one) {
    const int to = wanted(one.name);
    const off_t end = lseek(one.descriptor, 0, SEEK_CUR);
    char block[4096];
    for (off_t at = 0; at < end;) {
        const ssize_t got = pread(one.descriptor, block, sizeof block, at);
        if (got <= 0 || write(to, block, static_cast<size_t>(got)) != got)
            _exit(1);
        at += got;
    }
    dup2(to, one.descriptor);
    close(to);
}

void limit_time() {
    rlimit limit{request.processor_seconds, request.processor_seconds};
    if (request.processor_seconds)
        setrlimit(RLIMIT_CPU, &limit);
}

// In the copy: true. In the server: false.
bool begin(Job& job) {
    if (!receive(job.connection)) {
        close(job.connection);
        job = {};
        return false;
    }
    job.child = fork();
    if (job.child == 0) {
        close(listening);
        for (const Job& other : jobs)
            if (other.connection >= 0)
                close(other.connection);
        working = true;
        dup2(descriptors[1], 1);
        dup2(descriptors[1], 2);
        for (Opened& one : opened)
            if (one.descriptor >= 0)
                redirect(one);
        limit_time();
        signal(SIGPIPE, SIG_DFL);
        return true;
    }
    for (uint32_t i = 0; i < 2 + request.outputs; ++i)
        close(descriptors[i]);
    return false;
}

void collect() {
    int status = 0;
    for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;)
        for (Job& job : jobs)
            if (job.child == child) {
                send(job.connection, &status, sizeof status, MSG_NOSIGNAL);
                close(job.connection);
                job = {};
            }
}

void take_connection() {
    for (Job& job : jobs)
        if (job.connection < 0) {
            job.connection = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
            return;
        }
}

// Returns in a copy only.
void serve() {
    signal(SIGPIPE, SIG_IGN);
    struct sigaction note {};
    note.sa_handler = [](int) {}; // SIGCHLD ends a poll
    sigaction(SIGCHLD, &note, nullptr);
    for (time_t busy = time(nullptr);;) {
        pollfd waiting[most_jobs + 1] = {{listening, POLLIN, 0}};
        int running = 0;
        for (int i = 0; i < most_jobs; ++i) {
            const Job& job = jobs[i];
            running += job.child > 0;
            waiting[i + 1] = {job.connection, static_cast<short>(job.child ? POLLRDHUP : POLLIN), 0};
        }
        poll(waiting, most_jobs + 1, running ? 20 : 1000); // a signal may come right before it
        collect();
        for (int i = 0; i < most_jobs; ++i) {
            Job& job = jobs[i];
            if (job.connection < 0 || job.connection != waiting[i + 1].fd || !waiting[i + 1].revents)
                continue;
            if (job.child)
                kill(job.child, SIGKILL);
            else if (begin(job))
                return;
        }
        if (waiting[0].revents & POLLIN)
            take_connection();
        const time_t now = time(nullptr);
        if (running)
            busy = now;
        if (!running && (now - busy > idle_seconds || access(socket_name, F_OK) != 0)) {
            for (const char* large : {socket_name, "prefix.ii", "headers.cpp.gch"})
                unlink(large);
            _exit(0);
        }
    }
}

void* next(const char* name) {
    return dlsym(RTLD_NEXT, name);
}

// Each time from its beginning: a compiler opens it again to show a line in a message.
int open_rest() {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptors[0]);
    return open(path, O_RDONLY | O_CLOEXEC);
}

FILE* open_file(const char* path, const char* mode, const char* name) {
    if (is_rest(path)) {
        if (!working)
            serve();
        return fdopen(open_rest(), mode);
    }
    const char* output = output_name(path);
    if (output && working)
        return fdopen(wanted(output), mode);
    FILE* file = reinterpret_cast<FILE* (*)(const char*, const char*)>(next(name))(path, mode);
    if (output && file)
        remember(output, fileno(file));
    return file;
}

int open_number(const char* path, int flags, mode_t mode, const char* name) {
    if (is_rest(path)) {
        if (!working)
            serve();
        return open_rest();
    }
    const char* output = output_name(path);
    if (output && working)
        return wanted(output);
    const int descriptor = reinterpret_cast<int (*)(const char*, int, ...)>(next(name))(path, flags, mode);
    if (output && descriptor >= 0)
        remember(output, descriptor);
    return descriptor;
}

} // namespace

extern "C" {

FILE* fopen(const char* path, const char* mode) {
    return open_file(path, mode, "fopen");
}
FILE* fopen64(const char* path, const char* mode) {
    return open_file(path, mode, "fopen64");
}
int open(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return open_number(path, flags, mode, "open");
}
int open64(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return open_number(path, flags, mode, "open64");
}
}
