/* The name of the dynamic loader, for programs linked as shared objects (mpicc -castor-tls). */
const char castor_interpreter[] __attribute__((section(".interp"), used, visibility("hidden"))) =
    "/lib64/ld-linux-x86-64.so.2";
