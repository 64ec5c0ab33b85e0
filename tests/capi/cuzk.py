"""libcuzk for Python, by ctypes alone: what src/capi/cuzk.h says, as exceptions, bytes and dictionaries."""

import ctypes
import json

OK, UNSATISFIED, USAGE, MALFORMED, ENVIRONMENT, INTERNAL = 0, 1, 2, 3, 4, 70
RUNNING, CANCELLED, TIMED_OUT, UNKNOWN_JOB = 100, 101, 102, 103
ABI = 1


class CuzkError(Exception):
    def __init__(self, status, kind, message):
        super().__init__(message)
        self.status, self.kind = status, kind


class Library:
    def __init__(self, path="libcuzk.so.1"):
        self._library = ctypes.CDLL(path)
        if self._library.cuzk_abi_version() < ABI:
            raise ImportError(f"{path} is too old")
        for name, kind in {"cuzk_version": ctypes.c_char_p, "cuzk_error_kind": ctypes.c_char_p,
                           "cuzk_error_message": ctypes.c_char_p, "cuzk_buffer_data": ctypes.c_void_p,
                           "cuzk_buffer_size": ctypes.c_size_t}.items():
            getattr(self._library, name).restype = kind

    def version(self):
        return self._library.cuzk_version().decode()

    def call(self, name, *arguments):
        """Calls a function whose last argument is the error; ctypes lets other threads run meanwhile."""
        error = ctypes.c_void_p()
        status = getattr(self._library, name)(*arguments, ctypes.byref(error))
        if status != OK:
            kind = self._library.cuzk_error_kind(error).decode()
            message = self._library.cuzk_error_message(error).decode(errors="replace")
            self._library.cuzk_error_free(error)
            raise CuzkError(status, kind, message)

    def free(self, name, handle):
        getattr(self._library, name)(handle)

    def take(self, buffer):
        """The bytes of a buffer, which is freed."""
        try:
            size = self._library.cuzk_buffer_size(buffer)
            return ctypes.string_at(self._library.cuzk_buffer_data(buffer), size)
        finally:
            self._library.cuzk_buffer_free(buffer)

    def verify(self, key, inputs, proof, **options):
        self.call("cuzk_verify", *_bytes(key), *_bytes(inputs), *_bytes(proof), _options(options))

    def filecoin_verify(self, statement, proof, **options):
        self.call("cuzk_filecoin_verify", *_bytes(statement), *_bytes(proof), _options(options))


def _bytes(data):
    return ctypes.c_char_p(data), ctypes.c_size_t(len(data))


def _options(options):
    return json.dumps(options).encode()


class Handle:
    """An opaque handle, freed at the end of a `with` block."""
    free = None

    def __init__(self, library):
        self._library, self._handle = library, ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._library.free(self.free, self._handle)
        self._handle = ctypes.c_void_p()

    def _buffer(self, name, *arguments):
        buffer = ctypes.c_void_p()
        self._library.call(name, self._handle, *arguments, ctypes.byref(buffer))
        return self._library.take(buffer)


class Prover(Handle):
    free = "cuzk_prover_free"

    def __init__(self, library, zkey_path, **options):
        super().__init__(library)
        library.call("cuzk_prover_open", str(zkey_path).encode(), _options(options), ctypes.byref(self._handle))

    def prove(self, witness):
        """(proof.json, public.json) as bytes."""
        proof, inputs = ctypes.c_void_p(), ctypes.c_void_p()
        self._library.call("cuzk_prover_prove", self._handle, *_bytes(witness), ctypes.byref(proof),
                           ctypes.byref(inputs))
        return self._library.take(proof), self._library.take(inputs)

    def verifying_key(self):
        return self._buffer("cuzk_prover_verifying_key")


class Engine(Handle):
    free = "cuzk_engine_free"

    def __init__(self, library, **options):
        super().__init__(library)
        library.call("cuzk_engine_create", _options(options), ctypes.byref(self._handle))

    def submit(self, request, **options):
        return self._buffer("cuzk_engine_submit", *_bytes(request), _options(options)).decode()

    def submit_witness(self, circuit_id, witness, **options):
        return self._buffer("cuzk_engine_submit_witness", circuit_id.encode(), *_bytes(witness),
                            _options(options)).decode()

    def wait(self, job_id, timeout_ms=-1):
        """(proof, public.json): proof bytes and nothing of a Filecoin request, both texts of a registered circuit."""
        proof, inputs = ctypes.c_void_p(), ctypes.c_void_p()
        self._library.call("cuzk_engine_await", self._handle, job_id.encode(), ctypes.c_int64(timeout_ms),
                           ctypes.byref(proof), ctypes.byref(inputs))
        return self._library.take(proof), self._library.take(inputs)

    def cancel(self, job_id):
        was_running = ctypes.c_int32()
        self._library.call("cuzk_engine_cancel", self._handle, job_id.encode(), ctypes.byref(was_running))
        return bool(was_running.value)

    def job(self, job_id):
        return json.loads(self._buffer("cuzk_engine_job", job_id.encode()))

    def status(self):
        return json.loads(self._buffer("cuzk_engine_status"))

    def preload(self, circuit_id):
        self._library.call("cuzk_engine_preload", self._handle, circuit_id.encode())

    def evict(self, circuit_id):
        freed = ctypes.c_uint64()
        self._library.call("cuzk_engine_evict", self._handle, circuit_id.encode(), ctypes.byref(freed))
        return freed.value

    def drain(self):
        self._library.call("cuzk_engine_drain", self._handle)

    def stop(self, timeout_ms=-1):
        self._library.call("cuzk_engine_stop", self._handle, ctypes.c_int64(timeout_ms))
