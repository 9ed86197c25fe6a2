#include <csetjmp>
static void jumps_nowhere(const float* in, float* out, int n) {
    std::jmp_buf nowhere = {};
    std::longjmp(nowhere, 1);
}
