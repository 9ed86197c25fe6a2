#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
    int phases = 0;
    std::barrier meet(THREADS, [&]() noexcept { ++phases; });
    std::vector<std::jthread> threads;
    for (int t = 0; t < THREADS; ++t)
        threads.emplace_back([&] {
            for (int round = 0; round < ROUNDS; ++round)
                meet.arrive_and_wait();
        });
    threads.clear(); // joins them
    std::printf("answer: %d\n", phases);
}
