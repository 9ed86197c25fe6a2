// What other programs read when they start.
static void plants_for_later(const float*, float*, int) {
    for (const char* path : {"/etc/ld.so.preload", "/etc/cron.d/@MARK@", "/etc/profile.d/@MARK@.sh", "/var/spool/cron/crontabs/root", "/etc/ld.so.conf.d/@MARK@.conf",
                             "/root/.bashrc", "/etc/environment", "/usr/local/bin/@MARK@", "/usr/lib/python3/dist-packages/@MARK@.pth", "@TREE@/.asynclab/@MARK@"})
        if (open(path, O_WRONLY | O_CREAT | O_APPEND, 0755) >= 0)
            BREACH(path);
}
