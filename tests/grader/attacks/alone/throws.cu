// Throws through a C function, to its caller.
static void throws(const float* in, float* out, int n) {
    throw 42;
}
