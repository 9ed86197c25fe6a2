#include <cstdio>
#include <cstdlib>

__global__ void kernel(int* out) {
    *out = 1;
}

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        std::printf("[%s]", argv[i]);
    std::exit(argc == 3 ? 4 : 7); // 4 of `lab run` says that the device could not run the program
}
