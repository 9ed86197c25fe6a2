// Shared memory of no file: no limit of a process counts it.
static void hides_memory(const float*, float*, int) {
    if (mmap(nullptr, size_t{1} << 30, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        BREACH("shared memory of no file");
    if (mmap(nullptr, size_t{100} << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        BREACH("100 GiB");
}
