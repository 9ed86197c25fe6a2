static void traces_the_kernel(const float*, float*, int) {
    for (const char* path : {"/sys/kernel/tracing/trace_marker", "/sys/kernel/debug/tracing/trace", "/sys/kernel/debug", "/sys/fs/bpf", "/sys/kernel/btf/vmlinux",
                             "/proc/kallsyms", "/sys/kernel/security", "/sys/module"})
        if (open(path, O_RDWR) >= 0)
            BREACH(path);
}
