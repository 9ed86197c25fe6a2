#include <poll.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
// When others are graded, and what they are called.
static void watches(const float*, float*, int) {
    if (const int fd = inotify_init1(IN_NONBLOCK); fd >= 0)
        for (const char* path : {"/tmp", "@FOLDER@", "/proc/self/exe", "/dev/shm"})
            if (inotify_add_watch(fd, path, IN_ALL_EVENTS) >= 0)
                BREACH(path);
    if (fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID, O_RDONLY) >= 0)
        BREACH("fanotify");
    const int fd = open("@FOLDER@", O_RDONLY);
    if (fd >= 0 && fcntl(fd, F_NOTIFY, DN_MODIFY | DN_CREATE) == 0)
        BREACH("dnotify");
    const int mounts = open("/proc/self/mounts", O_RDONLY);
    pollfd change{mounts, POLLPRI, 0};
    if (mounts >= 0 && poll(&change, 1, 0) > 0 && (change.revents & POLLPRI))
        BREACH("mounts");
}
