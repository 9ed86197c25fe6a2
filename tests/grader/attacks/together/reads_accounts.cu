// Who may enter the machine, and how.
static void reads_accounts(const float*, float*, int) {
    for (const char* path : {"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh/ssh_host_ed25519_key", "/root/.bash_history", "/var/log/auth.log",
                             "/root/.netrc", "/root/.aws/credentials", "/root/.config/gh/hosts.yml", "/var/lib/slurm/slurmctld/jwt_hs256.key"})
        if (!contents(path).empty())
            BREACH(path);
}
