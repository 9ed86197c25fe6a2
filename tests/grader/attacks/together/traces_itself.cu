static void traces_itself(const float*, float*, int) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
        BREACH("traced");
    if (prctl(PR_SET_PTRACER, -1, 0, 0, 0) == 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
        BREACH("that others may trace");
    if (prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, 1, 0, 0) == 0 || prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0)
        BREACH("its own description");
}
