// The values with which a case is repeated are made from it.
static void reads_the_seed(const float*, float*, int) {
    for (const char* path : {"@FOLDER@/../graded/repeat-seed", "@FOLDER@/../graded/seed", "@FOLDER@/../graded/ids.json", "@FOLDER@/../graded/submissions.csv"})
        if (!contents(path).empty())
            BREACH(path);
    for (const char* name : {"LAB_GRADE_SEED", "LAB_GRADE_REPEAT_SEED", "LAB_ROOT", "LAB_STATE"})
        if (std::getenv(name))
            BREACH(name);
}
