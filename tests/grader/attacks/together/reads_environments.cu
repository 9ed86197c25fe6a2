static void reads_environments(const float*, float*, int) {
    for (char** entry = environ; *entry; ++entry)
        if (std::strstr(*entry, SECRET))
            BREACH("own");
    for (int id = 1; id < 70000; ++id) {
        const std::string text = contents(("/proc/" + std::to_string(id) + "/environ").c_str());
        if (text.find(SECRET) != std::string::npos)
            BREACH("another's");
    }
}
