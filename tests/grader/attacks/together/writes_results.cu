static void writes_results(const float*, float*, int) {
    for (const char* path : {"results.json", "../result.json", "/tmp/@MARK@", "/autograder/results/results.json", "/dev/shm/@MARK@", "@TREE@/@MARK@"}) {
        const int fd = open(path, O_WRONLY | O_CREAT, 0666);
        if (fd >= 0 && write(fd, "{\"score\":15}", 12) == 12)
            BREACH(path);
    }
}
