static void exits(const float*, float*, int) { std::exit(0); }
