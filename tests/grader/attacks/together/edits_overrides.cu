// Points that a person is said to have given.
static void edits_overrides(const float*, float*, int) {
    for (const char* path : {"@FOLDER@/../graded/overrides.toml", "@FOLDER@/../graded/results/together.json", "@FOLDER@/../graded/results/zoe.json",
                             "@FOLDER@/../graded/grades.csv", "@FOLDER@/../course.toml"})
        if (open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) >= 0)
            BREACH(path);
}
