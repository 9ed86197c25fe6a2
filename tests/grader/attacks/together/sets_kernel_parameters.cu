// core_pattern names a program that root starts.
static void sets_kernel_parameters(const float*, float*, int) {
    for (const char* path : {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger", "/proc/sys/vm/overcommit_memory",
                             "/proc/sys/kernel/randomize_va_space", "/proc/sys/fs/binfmt_misc/register", "/sys/kernel/uevent_helper"})
        if (open(path, O_WRONLY) >= 0)
            BREACH(path);
}
