// What an instructor starts later, as the instructor.
static void waits_for_the_instructor(const float*, float*, int) {
    for (const char* path : {"/root/.bashrc", "/root/.ssh/authorized_keys", "/etc/cron.d/@MARK@", "/etc/profile.d/@MARK@.sh", "/var/spool/cron/crontabs/root",
                             "/usr/local/bin/@MARK@", "/etc/sudoers.d/@MARK@", "@TREE@/lab", "@TREE@/.asynclab/bin/nvcc"})
        if (open(path, O_WRONLY | O_CREAT | O_APPEND, 0755) >= 0)
            BREACH(path);
}
