// The numbers of another architecture, which a filter of these does not know.
static void calls_as_32_bits(const float* in, float* out, int n) {
    int result = 37; // kill, as a 32-bit program calls it
    asm volatile("int $0x80" : "+a"(result) : "b"(@VICTIM@), "c"(SIGKILL) : "memory");
    if (result == 0)
        BREACH("kill");
}
