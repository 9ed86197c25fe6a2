#include <cstdio>

int main() {
    std::puts("nothing for the device");
}
