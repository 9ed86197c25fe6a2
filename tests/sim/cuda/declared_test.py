"""Every function that cuda.h and cuda_runtime_api.h declare is in the runtime that programs are linked with, if only to be
refused: otherwise a program that merely mentions it would not link."""
import re
import subprocess
import sys
from pathlib import Path

runtime, nvcc = sys.argv[1:]
finder = Path(__file__).resolve().parents[3] / 'common/setup/cuda_headers.py'
headers = [Path(line) for line in
           subprocess.run([sys.executable, finder, nvcc], capture_output=True, text=True, check=True).stdout.splitlines()]


def text(name):
    path = next(folder / name for folder in headers if (folder / name).exists())
    return re.sub(r'/\*.*?\*/|//[^\n]*', '', path.read_text(errors='replace'), flags=re.S)


# cuda.h: "#define cuMemAlloc cuMemAlloc_v2", "#define cuMemcpy __CUDA_API_PTDS(cuMemcpy)"
driver = text('cuda.h')
declared = set(re.findall(r'\bCUDAAPI\s+(cu[A-Z]\w*)\s*\(', driver))
declared |= {new for _, new in re.findall(r'#\s*define\s+(cu[A-Z]\w*)\s+(cu[A-Z]\w*)\s*$', driver, flags=re.M)}
for kind, name in re.findall(r'#\s*define\s+cu[A-Z]\w*\s+__CUDA_API_PT(SZ|DS)\((\w+)\)', driver):
    declared |= {name, f'{name}_pt{kind.lower()}'}
declared |= set(re.findall(r'\bCUDARTAPI\s*\*?\s*(cuda[A-Z]\w*)\s*\(', text('cuda_runtime_api.h')))

symbols = subprocess.run(['nm', '-g', '--defined-only', runtime], capture_output=True, text=True, check=True).stdout
missing = sorted(declared - {line.split()[-1] for line in symbols.splitlines()})
if len(declared) < 500:
    sys.exit(f'only {len(declared)} functions were found in {headers}')
if missing:
    sys.exit('not defined: add them, or name them in a refused_functions.inc:\n  ' + '\n  '.join(missing))
