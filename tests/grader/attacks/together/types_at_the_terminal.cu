#include <sys/ioctl.h>
// What is typed into the instructor's terminal runs as the instructor.
static void types_at_the_terminal(const float*, float*, int) {
    char letter = '\n';
    for (int fd = 0; fd < 16; ++fd)
        if (ioctl(fd, TIOCSTI, &letter) == 0)
            BREACH("TIOCSTI");
    for (const char* path : {"/dev/tty", "/dev/console", "/dev/tty1", "/dev/ptmx", "/dev/pts/0"})
        if (open(path, O_RDWR | O_NOCTTY) >= 0)
            BREACH(path);
}
