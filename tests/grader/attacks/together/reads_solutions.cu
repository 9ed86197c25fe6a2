static void reads_solutions(const float*, float*, int) {
    for (const char* path : {"@TREE@/solutions/01_synchronous_staging/kernel.cu", "@TREE@/labs/01_synchronous_staging/check.cpp", "@TREE@/tests/tree_test.py", "@TREE@/README.md"})
        if (!contents(path).empty())
            BREACH(path);
}
