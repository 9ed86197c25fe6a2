"""`thread_storage_test.py LIBRARY…`: the CUDA runtime has little thread-local storage.

It is cleared whenever a program or one of its threads starts. A large thread_local object belongs on the heap and is made
at its first use.
"""

import struct
import sys
import unittest
from pathlib import Path

PT_TLS = 7
MOST = 4096


def thread_storage(elf):
    """Bytes for each thread, of an ELF file for 64-bit machines."""
    programs, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    for i in range(count):
        kind, *_, bytes_in_memory, _ = struct.unpack_from("<IIQQQQQQ", elf, programs + i * size)
        if kind == PT_TLS:
            return bytes_in_memory
    return 0


class ThreadStorage(unittest.TestCase):
    def test_library_has_some_and_little(self):
        for path in LIBRARIES:
            with self.subTest(path.name):
                bytes_in_memory = thread_storage(path.read_bytes())
                self.assertGreater(bytes_in_memory, 0, "cudaGetLastError is each thread's own")
                self.assertLessEqual(bytes_in_memory, MOST)


if __name__ == "__main__":
    LIBRARIES = [Path(name) for name in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1])
