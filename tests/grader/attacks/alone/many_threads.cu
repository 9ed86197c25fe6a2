#include <pthread.h>
static void many_threads(const float*, float*, int) {
    for (int i = 0; i < 10000; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, nullptr, [](void*) -> void* { for (;;) pause(); }, nullptr) != 0)
            return;
    }
    BREACH("10000 threads");
}
