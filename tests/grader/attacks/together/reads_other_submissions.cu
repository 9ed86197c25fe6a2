static void reads_other_submissions(const float*, float*, int) {
    if (!contents("@OTHER@").empty())
        BREACH("@OTHER@");
    if (DIR* folder = opendir("@FOLDER@")) {
        BREACH("the folder of submissions");
        closedir(folder);
    }
}
