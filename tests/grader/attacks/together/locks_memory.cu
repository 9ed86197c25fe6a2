static void locks_memory(const float*, float*, int) {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
        BREACH("all memory");
    if (mmap(nullptr, size_t{8} << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0) != MAP_FAILED)
        BREACH("8 GiB");
    if (mmap(nullptr, size_t{1} << 30, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) != MAP_FAILED)
        BREACH("huge pages");
}
