"""Doubles 256 numbers through the driver API, by ctypes: argv has libcuda.so.1, the PTX, and what to do otherwise."""

import ctypes
import sys

library, ptx, how = sys.argv[1:4]
cuda = ctypes.CDLL(library)
N, BYTES = 256, 1024


def call(name, *arguments):
    if error := getattr(cuda, name)(*arguments):
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(error, ctypes.byref(text))
        sys.exit(f"{name}: {error} ({text.value.decode()})")


def made(name, kind, *arguments):
    value = kind()
    call(name, ctypes.byref(value), *arguments)
    return value


Pointer, Number = ctypes.c_void_p, ctypes.c_int
call("cuInit", 0)
device = made("cuDeviceGet", Number, 0)
assert made("cuDeviceGetAttribute", Number, 75, device).value == 9
context = made("cuDevicePrimaryCtxRetain", Pointer, device)
call("cuCtxSetCurrent", context)
assert made("cuCtxGetCurrent", Pointer).value == context.value
stream = made("cuStreamCreate", Pointer, 1)
image = b"\x7fELF" + bytes(60) if how == "cubin" else open(ptx, "rb").read()
if how == "library":
    library = made("cuLibraryLoadData", Pointer, image, None, None, 0, None, None, 0)
    function = made("cuLibraryGetKernel", Pointer, library, b"twice")
else:
    module = made("cuModuleLoadData", Pointer, image)
    function = made("cuModuleGetFunction", Pointer, module, b"once" if how == "name" else b"twice")
numbers, result = (ctypes.c_float * N)(*range(N)), (ctypes.c_float * N)()
source, target = made("cuMemAlloc_v2", Pointer, ctypes.c_size_t(BYTES)), made("cuMemAlloc_v2", Pointer, ctypes.c_size_t(BYTES))
call("cuMemcpyHtoDAsync_v2", source, numbers, ctypes.c_size_t(BYTES), stream)
factor = ctypes.c_float(2)
arguments = (Pointer * 3)(*(ctypes.addressof(one) for one in (source, target, factor)))
if how == "extra":
    packed = ctypes.create_string_buffer(bytes(source) + bytes(target) + bytes(factor))
    size = ctypes.c_size_t(len(packed.raw))
    extra = (Pointer * 5)(1, ctypes.addressof(packed), 2, ctypes.addressof(size), 0)
    call("cuLaunchKernel", function, N // 128, 1, 1, 128, 1, 1, 0, stream, None, extra)
else:
    call("cuLaunchKernel", function, N // 128, 1, 1, 128, 1, 1, 0, stream, arguments, None)
event = made("cuEventCreate", Pointer, 2)
call("cuEventRecord", event, stream)
call("cuEventSynchronize", event)
call("cuMemcpyDtoH_v2", result, target, ctypes.c_size_t(BYTES))
found = Pointer()
cuda.cuGetProcAddress_v2(b"cuMemAlloc", ctypes.byref(found), 13000, ctypes.c_uint64(0), None)
assert found.value == ctypes.cast(cuda.cuMemAlloc_v2, Pointer).value
call("cuMemFree_v2", source)
call("cuStreamDestroy_v2", stream)
call("cuDevicePrimaryCtxRelease_v2", device)
print(result[3], result[255])
sys.exit(0 if list(result) == [2 * i for i in range(N)] else 1)
