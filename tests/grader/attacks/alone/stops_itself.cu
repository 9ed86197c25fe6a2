// Neither dead nor alive.
static void stops_itself(const float* in, float* out, int n) {
    std::raise(SIGSTOP);
}
