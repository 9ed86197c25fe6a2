static void hundred_gibibytes(const float*, float*, int) {
    for (int i = 0; i < 1600; ++i)
        if (char* block = static_cast<char*>(std::malloc(64 << 20)))
            for (size_t at = 0; at < 64 << 20; at += 4096)
                block[at] = 1;
        else
            std::abort();
}
