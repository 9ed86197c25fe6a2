static void opens_devices(const float*, float*, int) {
    for (const char* path : {"/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/nvidiactl", "/dev/nvidia0", "/dev/dri/card0", "/dev/loop-control",
                             "/dev/loop0", "/dev/sda", "/dev/vda", "/dev/nvme0n1", "/dev/input/event0", "/dev/snd/timer", "/dev/vhost-net",
                             "/dev/vsock", "/dev/userfaultfd", "/dev/cuse", "/dev/uinput", "/dev/hugepages"})
        if (open(path, O_RDWR) >= 0 || open(path, O_RDONLY) >= 0)
            BREACH(path);
}
