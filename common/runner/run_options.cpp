#include "runner/run_options.h"

#include "runner/bench_model.h"
#include "runner/command.h"

namespace runner {

void add_run_options(CLI::App& command, RunArguments& arguments) {
    command.add_option(
        "FILE", arguments.files,
        "A .cu file, a program built with nvcc -cudart shared, a .ptx file (with --launch), or a run that "
        "--core has kept; several are run one after the other. Without a FILE, what follows -- is the command to run");
    command.add_option("--launch", arguments.launch, "How to launch the kernels of a .ptx file (docs/ptx.md)")
        ->type_name("FILE.toml");
    command
        .add_option("--device", arguments.device,
                    "sim: the simulated device; gpu: the GPU, with NVIDIA's runtime, which is used if there is one")
        ->envname("LAB_DEVICE")
        ->check(CLI::IsMember({"sim", "gpu"}));
    command.add_flag("--strict", arguments.strict,
                     "A warning makes the exit code 3, as an error does; a schedule that is not run makes it 6");
    command.add_flag("--all", arguments.all, "Show every finding in full, also probable consequences of another");
    command.add_flag("--sanitize", arguments.sanitize,
                     "After the simulated device, compute-sanitizer's tools on the GPU");
    command.add_flag("--box", arguments.boxed,
                     "The program may read itself and the system's libraries only, write no files, open no sockets and "
                     "start no processes");
    command.add_option("--schedule", arguments.schedule, "When asynchronous work completes")
        ->check(CLI::IsMember({"lazy", "eager", "random"}));
    command.add_option("--seed", arguments.seed, "Of the schedule")->capture_default_str();
    command.add_option(
        "--schedules", arguments.schedules,
        "Number of schedules to run; the output of the first is shown. By default a few more than one, if "
        "they are quick and the first finds nothing");
    command.add_option("--protocol", arguments.protocol, "Explore every order of the first run's barrier operations")
        ->capture_default_str()
        ->check(CLI::IsMember({"on", "off"}));
    command.add_flag("--replay", arguments.replay,
                     "If the protocol check finds an order that goes wrong, run the device in that order, too");
    command.add_option("--arch", arguments.arch, "What to compile for")->capture_default_str();
    command
        .add_option("--nvcc", arguments.nvcc,
                    "Further flags for nvcc, in one argument; without a -std among them, it is -std=c++20")
        ->type_name("FLAGS")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    command.add_option("--sms", arguments.sms, "How many SMs the device has")
        ->capture_default_str()
        ->check(CLI::Range(1, 1024));
    command
        .add_option("--cores", arguments.cores,
                    "Cores on which the blocks of a long launch run side by side, if they do not communicate; 0: all")
        ->capture_default_str()
        ->check(CLI::Range(0, 256));
    command.add_option("--timeout", arguments.timeout, "Time limit for the program, in seconds; 0: no limit")
        ->capture_default_str();
    command
        .add_option("--compile-timeout", arguments.compile_timeout,
                    "Processor time for each compiler, in seconds; 0: no limit")
        ->capture_default_str();
    add_json(command, arguments.json, "The findings");
    command
        .add_option(
            "--format", arguments.formats,
            "Also write the results as text, gcc (for editors), github (annotations), sarif or junit: to stdout, or to a "
            "file (sarif:FILE); may be given several times")
        ->type_name("FORMAT[:FILE]")
        ->expected(1)
        ->take_all();
    command
        .add_option("--suppress", arguments.suppress,
                    "Do not report the findings that this TOML file lists with a reason (docs/ci/README.md)")
        ->type_name("FILE");
    command
        .add_option("--trace", arguments.trace,
                    "Draw one block's timeline; write it to OUT.html and, for Perfetto, to OUT.json")
        ->type_name("OUT");
    add_model(command, arguments.model)->needs("--trace");
    command
        .add_option("--break", arguments.stop,
                    "Stop where a warp comes to this line, and show warps, barriers, copies in flight and registers")
        ->type_name("FILE:LINE");
    command
        .add_option("--if", arguments.condition,
                    "Only where this is true for a thread: \"threadIdx.x == 5 && %r1 > 3\"")
        ->type_name("EXPR")
        ->needs("--break");
    command
        .add_option("--core", arguments.core,
                    "Keep the first run with an error in one file, which ./lab run repeats anywhere")
        ->type_name("FILE.core");
    command.add_option("--step", arguments.step, "Write a page that steps through one block's execution")
        ->type_name("OUT.html");
    command.add_option("--block", arguments.block, "Which block --trace draws, or --step goes through");
    command.add_option("--from", arguments.from, "The first step that --step shows")->check(CLI::PositiveNumber);
}

} // namespace runner
