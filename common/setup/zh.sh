# The launcher's messages in Chinese: each followed by its translation. {} stands for what differs.

zh_messages=(
    'asynclab runs on Linux; this is {}' 'asynclab 在 Linux 上运行；这里是 {}'
    'use a Linux machine, virtual machine or container (tried on Debian 12 and Ubuntu 22.04)' '请用 Linux 机器、虚拟机或容器（在 Debian 12 和 Ubuntu 22.04 上试过）'
    'the build tools cannot handle the path {}: it contains a quote, backquote, backslash, dollar sign or newline' '构建工具无法处理路径 {}：其中有引号、反引号、反斜杠、美元符号或换行'
    'move the repository to a folder without these characters in its path' '把仓库移到路径中没有这些字符的文件夹'
    "you may not write to {}, so './lab {}' cannot work there" '你不能写 {}，所以 ./lab {} 在那里无法工作'
    'clone the repository into a folder of your own and run ./lab there' '把仓库克隆到你自己的文件夹，在那里运行 ./lab'
    'you may not write to {}, and no ./lab is built there that you may run' '你不能写 {}，那里也没有你可以运行的 ./lab'
    'ask the owner to run ./lab doctor there, or clone the repository into a folder of your own' '请其所有者在那里运行 ./lab doctor，或把仓库克隆到你自己的文件夹'
    'you may not write to build/ or .asynclab/ in {}' '你不能写 {} 中的 build/ 或 .asynclab/'
    'make them yours (chown), or clone the repository into a folder of your own and run ./lab there' '把它们改为你所有（chown），或把仓库克隆到你自己的文件夹，在那里运行 ./lab'
    'waiting for another ./lab to finish setting up or building {}' '等待另一个 ./lab 完成安装或构建 {}'
    "'./lab clean' has no option '{}'" './lab clean 没有选项“{}”'
    "use './lab clean' (removes build/) or './lab clean --all' (removes .asynclab/ with the downloaded compiler, too)" '用 ./lab clean（删除 build/）或 ./lab clean --all（也删除 .asynclab/ 及下载的编译器）'
    'the build succeeded but did not make {}' '构建成功，但没有生成 {}'
    "run './lab clean' and try again; if that does not help, read build/lab-build.log" '运行 ./lab clean 后重试；仍不行就看 build/lab-build.log'
    'configuring the build {}' '正在配置构建 {}'
    'Meson could not configure the build' 'Meson 无法配置构建'
    "read its messages above (the full log is .asynclab/configure.log); './lab clean --all' removes everything so that the next ./lab sets up again" '见上面的消息（完整日志在 .asynclab/configure.log）；./lab clean --all 删除一切，下一次 ./lab 会重新安装'
    'the build failed' '构建失败'
    "if you changed asynclab's own code, fix the errors above (the full log is build/lab-build.log); otherwise run './lab clean' and try again" '如果你改了 asynclab 自己的代码，请改正上面的错误（完整日志在 build/lab-build.log）；否则运行 ./lab clean 后重试'
    'built in {} s' '构建用时 {} 秒'
    'building the simulated device (first time, about {}) {}' '正在构建模拟设备（第一次，约需 {}）{}'
    'building the simulated device {}' '正在构建模拟设备 {}'
    'building the simulated device: {} of {} {}' '正在构建模拟设备：{} / {} {}'
    'fetching mkdocs-material from PyPI (30 MB) {}' '正在从 PyPI 下载 mkdocs-material（30 MB）{}'
    "the site needs mkdocs-material, but PyPI could not be reached (pip's messages are in .asynclab/setup.log)" '网站需要 mkdocs-material，但无法连接 PyPI（pip 的消息在 .asynclab/setup.log）'
    'connect to the network and try again, or read the Markdown pages, beginning with docs/README.md' '连接网络后重试，或阅读 Markdown 页面，从 docs/zh/README.md 开始'
    "LAB_NVCC is '{}', but there is no such program" 'LAB_NVCC 是“{}”，但没有这个程序'
    'set LAB_NVCC to the path of nvcc, or unset it and let ./lab find one' '把 LAB_NVCC 设为 nvcc 的路径，或不设它，由 ./lab 去找'
    'LAB_NVCC: {} is a wrapper that ./lab itself made for another nvcc' 'LAB_NVCC：{} 是 ./lab 自己为另一个 nvcc 生成的包装'
    'LAB_NVCC: {} does not run' 'LAB_NVCC：{} 无法运行'
    'LAB_NVCC: {} is CUDA {}, too old ({} or newer is needed)' 'LAB_NVCC：{} 是 CUDA {}，太旧（需要 {} 或更新）'
    'LAB_NVCC: {} cannot compile a small kernel ({})' 'LAB_NVCC：{} 无法编译一个小 kernel（{}）'
    'set LAB_NVCC to another nvcc ({} or newer), or unset it and let ./lab find one' '把 LAB_NVCC 设为另一个 nvcc（{} 或更新），或不设它，由 ./lab 去找'
    '{} does not run; looking for another nvcc' '{} 无法运行；正在找另一个 nvcc'
    '{} is CUDA {}, too old ({} or newer is needed); looking for another nvcc' '{} 是 CUDA {}，太旧（需要 {} 或更新）；正在找另一个 nvcc'
    '{} cannot compile a small kernel ({}); looking for another nvcc' '{} 无法编译一个小 kernel（{}）；正在找另一个 nvcc'
    'the compiler from PyPI, {}, does not run' '来自 PyPI 的编译器 {} 无法运行'
    'the compiler from PyPI, {}, cannot compile a small kernel ({})' '来自 PyPI 的编译器 {} 无法编译一个小 kernel（{}）'
    'read .asynclab/setup.log; or install the CUDA toolkit {} or newer and set LAB_NVCC=/path/to/nvcc' '见 .asynclab/setup.log；或安装 CUDA 工具包 {} 或更新，并设 LAB_NVCC=/path/to/nvcc'
    "fetching NVIDIA's compiler from PyPI (nvcc {}, 100 MB) {}" '正在从 PyPI 下载 NVIDIA 的编译器（nvcc {}，100 MB）{}'
    'this machine has no usable nvcc, and downloading one from PyPI failed (see above)' '这台机器没有可用的 nvcc，从 PyPI 下载也失败了（见上）'
    'connect to the network, or install the CUDA toolkit {} or newer (https://developer.nvidia.com/cuda-downloads) and set LAB_NVCC=/path/to/nvcc' '连接网络，或安装 CUDA 工具包 {} 或更新（https://developer.nvidia.com/cuda-downloads），并设 LAB_NVCC=/path/to/nvcc'
    'trying {} ({}) {}' '正在试用 {}（{}）{}'
    "CXX is '{}', but there is no such compiler" 'CXX 是“{}”，但没有这个编译器'
    'set CXX to the path of a C++20 compiler, or unset it and let ./lab find one' '把 CXX 设为 C++20 编译器的路径，或不设它，由 ./lab 去找'
    'fetching the list of system packages {}' '正在获取系统软件包列表 {}'
    'installing with apt-get: {} (a minute or two) {}' '正在用 apt-get 安装：{}（一两分钟）{}'
    'updating the list of system packages {}' '正在更新系统软件包列表 {}'
    'installing again {}' '正在重新安装 {}'
    'these system packages are missing: {}' '缺少这些系统软件包：{}'
    'run this command, then ./lab again:{}' '运行此命令，然后再运行 ./lab：{}'
    'these packages are missing (Debian names): {}' '缺少这些软件包（Debian 的名字）：{}'
    "install them with this system's package manager, then run ./lab again" '用本系统的包管理器安装它们，然后再运行 ./lab'
    'making a Python environment in .asynclab/venv {}' '正在 .asynclab/venv 中建立 Python 环境 {}'
    'installing Meson and Ninja from PyPI {}' '正在从 PyPI 安装 Meson 和 Ninja {}'
    'fetching the toml++ headers {}' '正在下载 toml++ 的头文件 {}'
    'error: ' '错误：'
    'next: {}' '下一步：{}'
)

# Sets `said` to what $1 is in Chinese, or to $1 if there is no translation.
translate() {
    local i english rest part after value values
    said=$1
    for ((i = 0; i < ${#zh_messages[@]}; i += 2)); do
        english=${zh_messages[i]} rest=$1 values=()
        while [[ $english == *'{}'* ]]; do
            part=${english%%'{}'*} english=${english#*'{}'}
            after=${english%%'{}'*}
            [[ $rest == "$part"* && ${rest#"$part"} == *"$after"* ]] || continue 2
            rest=${rest#"$part"}
            value=${rest%%"$after"*}
            [[ $after ]] || value=$rest
            values+=("$value") rest=${rest#"$value"}
        done
        [[ $rest == "$english" ]] || continue
        said=${zh_messages[i + 1]}
        for value in "${values[@]}"; do said=${said%%'{}'*}$value${said#*'{}'}; done
        return
    done
}
