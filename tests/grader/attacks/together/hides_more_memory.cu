// Memory of the stack's kind, new or moved from the stack, and of a device whose pages are shared.
static void hides_more_memory(const float*, float*, int) {
    constexpr size_t bytes = size_t{100} << 30;
    constexpr int rights = PROT_READ | PROT_WRITE;
    if (mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_NORESERVE, -1, 0) != MAP_FAILED)
        BREACH("memory that grows downwards");
    const int zeros = open("/dev/zero", O_RDWR);
    if (zeros >= 0 && mmap(nullptr, bytes, rights, MAP_SHARED | MAP_NORESERVE, zeros, 0) != MAP_FAILED)
        BREACH("/dev/zero");
    volatile char deep[1 << 20];
    deep[0] = deep[sizeof deep / 2] = 1;
    const auto page = (reinterpret_cast<std::uintptr_t>(deep) + sizeof deep / 2) & ~std::uintptr_t{4095};
    if (mremap(reinterpret_cast<void*>(page), 4096, bytes, MREMAP_MAYMOVE) != MAP_FAILED)
        BREACH("a piece of the stack");
}
