// Descriptors that somebody forgot to close.
static void inherits_descriptors(const float*, float*, int) {
    char path[64], name[256];
    for (int fd = 3; fd < 256; ++fd) {
        std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        const ssize_t length = readlink(path, name, sizeof name - 1);
        if (length > 0 && name[0] == '/' && std::string(name, length).find(".cu") != std::string::npos)
            BREACH("a source file");
        struct stat about;
        if (fstat(fd, &about) == 0 && (S_ISDIR(about.st_mode) || S_ISBLK(about.st_mode)))
            BREACH("a folder");
    }
}
