#include <sys/resource.h>
static void raises_limits(const float*, float*, int) {
    for (const auto resource : {RLIMIT_DATA, RLIMIT_FSIZE}) {
        rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
        if (setrlimit(resource, &limit) == 0)
            BREACH("a limit");
    }
    if (getppid() > 1 && prlimit(getppid(), RLIMIT_CPU, nullptr, nullptr) == 0) {
        rlimit limit{1, 1};
        if (prlimit(getppid(), RLIMIT_CPU, &limit, nullptr) == 0)
            BREACH("the parent's limit");
    }
}
