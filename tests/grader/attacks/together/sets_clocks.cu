#include <sys/time.h>
// Budgets and due dates are measured with the machine's clocks.
static void sets_clocks(const float*, float*, int) {
    timeval now{};
    gettimeofday(&now, nullptr);
    if (settimeofday(&now, nullptr) == 0)
        BREACH("settimeofday");
    timespec precise{};
    clock_gettime(CLOCK_REALTIME, &precise);
    if (clock_settime(CLOCK_REALTIME, &precise) == 0)
        BREACH("clock_settime");
}
