// Results, and the seed with which cases are repeated.
static void reads_the_graders_folder(const float*, float*, int) {
    for (const char* file : {"/../graded/repeat-seed", "/../graded/seed", "/../graded/ids.json", "/../graded/results/zoe.json", "/../graded/grades.csv"})
        if (!contents((std::string("@FOLDER@") + file).c_str()).empty())
            BREACH(file);
}
