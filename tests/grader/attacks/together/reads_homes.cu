static void reads_homes(const float*, float*, int) {
    for (const char* path : {"/root/.bashrc", "/root/.profile", "/root/.bash_history", "/root/.ssh/id_rsa", "/root/.ssh/authorized_keys", "/root/.netrc",
                             "/etc/passwd", "/etc/group", "/etc/ssh/sshd_config", "/etc/machine-id", "/var/mail/root"})
        if (!contents(path).empty())
            BREACH(path);
    if (opendir("/root") || opendir("/var/spool/cron"))
        BREACH("a home");
}
