"""Links the runtime and the simulated device into one object file that shows CUDA's functions only,
and those of program/system_calls.cpp.

A program is linked with it like with the real runtime; nothing in the program can clash with the device's own functions,
or replace them.
"""
import subprocess
import sys

output, compiler, objcopy, script, *archives = sys.argv[1:]
# Groups are dissolved: otherwise the linker would replace our copies of common templates by the program's.
subprocess.run(
    [compiler, '-r', '-nostdlib', '-Wl,--force-group-allocation', '-T', script, '-Wl,--whole-archive', *archives,
     '-Wl,--no-whole-archive', '-l:liblz4.a', '-l:libzstd.a', '-o', output],
    check=True,
)
system_calls = ('read', 'pread', 'pread64', 'recv', 'fread', 'write', 'pwrite', 'pwrite64', 'send', 'fwrite')
keep = [f'--keep-global-symbol={name}'
        for name in ('cuda*', '__cuda*', 'cu[A-Z]*', 'asynclab_cudart_version', *system_calls)]
subprocess.run([objcopy, '--wildcard', *keep, output], check=True)
