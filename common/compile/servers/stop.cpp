// Loaded into a compiler (LD_PRELOAD), which reads the headers of a program and then a file rest.ii. There it stops and
// becomes a server. For each request it forks, and the copy goes on with the request's file as rest.ii. So the headers
// are read once, and the output is that of this compiler for the whole text.
//
// Descriptor 3 is the socket that listens, or on which a grader hands over connections. A request is one packet (see
// request.h). The answer is one packet with the status as waitpid gives it. A client that closes the connection before
// that ends the work. This process never reads anything of a request's file. A copy for a grader confines itself before
// it does (confine.h).
#undef _FILE_OFFSET_BITS // open and open64 are two functions here

#include "compile/servers/confine.h"
#include "compile/servers/own_pages.h"
#include "compile/servers/request.h"

#include <algorithm>
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
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace servers;

constexpr int most_jobs = 64;

struct Job {
    int connection = -1;
    pid_t child = 0;
    Handover limits; ///< of a grader's; with `group`
    int group = -1;
};
Job jobs[most_jobs];
bool confined = false; // a grader's server

/// A file "out.NAME" that was opened for writing before the stop.
struct Opened {
    char name[name_bytes] = {};
    int descriptor = -1;
};
Opened opened[max_outputs];

bool working = false; // in a copy, which has a request
Request request;
int descriptors[2 + max_outputs]; // the request's
int nowhere = -1;
// The request's file, opened more than once: a compiler opens it again to show a line in a message, and reads each from
// its beginning.
int rests[8];
int next_rest = 0;

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
    return dup(nowhere);
}

void remember(const char* name, int descriptor) {
    for (Opened& one : opened)
        if (one.descriptor < 0) {
            std::snprintf(one.name, sizeof one.name, "%s", name);
            one.descriptor = descriptor;
            return;
        }
}

// A packet of this size and up to `most` descriptors. How many those are; -1: it is no such packet.
int receive(int socket, void* packet, size_t size, int* numbers, size_t most) {
    iovec part{packet, size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(most * sizeof(int));
    const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    int count = 0;
    if (const cmsghdr* header = got < 0 ? nullptr : CMSG_FIRSTHDR(&message);
        header && header->cmsg_type == SCM_RIGHTS) {
        count = static_cast<int>((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        std::memcpy(numbers, CMSG_DATA(header), static_cast<size_t>(count) * sizeof(int));
    }
    if (got == static_cast<ssize_t>(size) && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        return count;
    while (count > 0)
        close(numbers[--count]);
    return -1;
}

bool receive_request(int connection) {
    const int count = receive(connection, &request, sizeof request, descriptors, 2 + max_outputs);
    if (count >= 0 && request.outputs <= max_outputs && static_cast<uint32_t>(count) == 2 + request.outputs)
        return true;
    for (int i = 0; i < count; ++i)
        close(descriptors[i]);
    return false;
}

// The output that the compiler has already written belongs to each request's output.
void redirect(Opened& one) {
    const int to = wanted(one.name);
    const off_t end = lseek(one.descriptor, 0, SEEK_CUR);
    char block[1 << 16];
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

int open_again(int descriptor) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return open(path, O_RDONLY | O_CLOEXEC);
}

// Copies share the server's file offset in the files that it reads: a copy that moved it would choose what others read.
void read_files_alone() {
    for (int i = rules + 1; i < 256; ++i) {
        struct stat status {};
        if (fstat(i, &status) != 0 || !S_ISREG(status.st_mode) || (fcntl(i, F_GETFL) & O_ACCMODE) != O_RDONLY)
            continue;
        const off_t at = lseek(i, 0, SEEK_CUR);
        const int alone = open_again(i);
        if (alone < 0 || lseek(alone, at, SEEK_SET) != at || dup2(alone, i) != i)
            _exit(let_nvcc_do_it);
        close(alone);
    }
}

void become_copy(const Job& job) {
    close(listening);
    for (const Job& other : jobs) {
        if (other.connection >= 0)
            close(other.connection);
        if (other.group >= 0 && other.group != job.group)
            close(other.group);
    }
    working = true;
    dup2(descriptors[1], 1);
    dup2(descriptors[1], 2);
    nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (Opened& one : opened)
        if (one.descriptor >= 0)
            redirect(one);
    if (confined)
        read_files_alone();
    for (int& rest : rests)
        rest = open_again(descriptors[0]);
    signal(SIGPIPE, SIG_DFL);
    if (!confined)
        limit_time();
    else if (!join(job.group))
        _exit(let_nvcc_do_it);
    if (std::strcmp(request.names[0], "cpp") != 0) // cudafe++ writes to less
        own_pages();                               // the group's, and before limits and rules
    if (confined && !confine(job.limits))
        _exit(let_nvcc_do_it);
}

void forget(Job& job) {
    close(job.connection);
    if (job.group >= 0)
        close(job.group);
    job = {};
}

// In the copy: true. In the server: false.
bool begin(Job& job) {
    if (!receive_request(job.connection)) {
        forget(job);
        return false;
    }
    job.child = fork();
    if (job.child == 0) {
        become_copy(job);
        return true;
    }
    for (uint32_t i = 0; i < 2 + request.outputs; ++i)
        close(descriptors[i]);
    if (job.child < 0)
        forget(job);
    return false;
}

void collect() {
    int status = 0;
    for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;)
        for (Job& job : jobs)
            if (job.child == child) {
                send(job.connection, &status, sizeof status, MSG_NOSIGNAL);
                forget(job);
            }
}

// The grader is gone, so no further handover can come.
void take_handover(Job& job) {
    int numbers[2] = {-1, -1};
    const int count = receive(listening, &job.limits, sizeof job.limits, numbers, 2);
    if (count < 1)
        _exit(0);
    job.connection = numbers[0];
    job.group = numbers[1];
}

void take_connection() {
    for (Job& job : jobs)
        if (job.connection < 0) {
            if (confined)
                take_handover(job);
            else
                job.connection = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
            return;
        }
}

// Becomes readable when the server's socket is removed; -1: nothing tells.
int watch_socket() {
    const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch >= 0 && inotify_add_watch(watch, socket_name, IN_ATTRIB | IN_DELETE_SELF) < 0) {
        close(watch);
        return -1;
    }
    return watch;
}

// Returns in a copy only.
void serve() {
    confined = std::getenv(confined_variable);
    const int removed = confined ? -1 : watch_socket();
    signal(SIGPIPE, SIG_IGN);
    struct sigaction note {};
    note.sa_handler = [](int) {}; // SIGCHLD ends a poll
    sigaction(SIGCHLD, &note, nullptr);
    for (time_t busy = time(nullptr);;) {
        pollfd waiting[most_jobs + 2] = {{listening, POLLIN, 0}};
        int running = 0;
        for (int i = 0; i < most_jobs; ++i) {
            const Job& job = jobs[i];
            running += job.child > 0;
            waiting[i + 1] = {job.connection, static_cast<short>(job.child ? POLLRDHUP : POLLIN), 0};
        }
        waiting[most_jobs + 1] = {removed, POLLIN, 0};
        // An idle server sleeps until something comes or its time is up. A signal may come right before the poll.
        const auto rest = static_cast<int>(std::clamp<time_t>(idle_seconds - (time(nullptr) - busy), 1, idle_seconds));
        poll(waiting, most_jobs + 2, running ? 20 : 1000 * (confined || removed >= 0 ? rest : 1));
        char events[4096];
        while (removed >= 0 && read(removed, events, sizeof events) > 0) {
        }
        collect();
        for (int i = 0; i < most_jobs; ++i) {
            Job& job = jobs[i];
            if (job.connection < 0 || job.connection != waiting[i + 1].fd || !waiting[i + 1].revents)
                continue;
            if (job.child)
                kill(job.child, SIGKILL);
            else if (begin(job)) {
                close(removed);
                return;
            }
        }
        if (waiting[0].revents)
            take_connection();
        const time_t now = time(nullptr);
        if (running)
            busy = now;
        if (!confined && !running && (now - busy >= idle_seconds || access(socket_name, F_OK) != 0)) {
            for (const char* large : {socket_name, "prefix.ii", "headers.cpp.gch"})
                unlink(large);
            _exit(0);
        }
    }
}

void* next(const char* name) {
    return dlsym(RTLD_NEXT, name);
}

int open_rest() {
    return next_rest < static_cast<int>(sizeof rests / sizeof *rests) ? rests[next_rest++] : open_again(descriptors[0]);
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
