static void endless_output(const float*, float*, int) {
    for (;;)
        std::puts("PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS PASS");
}
