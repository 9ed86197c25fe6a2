static int deeper(volatile char* above) {
    volatile char block[65536];
    block[0] = above[0];
    return deeper(block) + block[1];
}
static void overflows_the_stack(const float*, float*, int) {
    char start = 1;
    deeper(&start);
}
