// Through a C function, to whoever calls it.
static void throws(const float* in, float* out, int n) {
    throw 42;
}
