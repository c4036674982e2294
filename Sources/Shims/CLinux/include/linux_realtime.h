// Properties of real-time threads: scheduling class, nice value, locked memory, prefaulted stack.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Sets the calling thread to SCHED_FIFO. Returns 0, or an errno: EPERM without the privilege.
int linux_thread_make_fifo(int priority);

// Sets the calling thread back from linux_thread_make_fifo to SCHED_OTHER, which needs no privilege. Returns 0, or an
// errno.
int linux_thread_make_ordinary(void);

// Sets the nice value of the calling thread, not of the whole process. Returns 0, or an errno.
int linux_thread_set_nice(int nice_value);

// Names the calling thread. A name longer than 15 bytes is cut.
void linux_thread_set_name(const char *name);

// Locks all present and future memory of the process, each page when it is first used. Returns 0, or an errno: EPERM
// unless RLIMIT_MEMLOCK is unlimited or the user is root, since with a small limit a later mmap would fail.
int linux_memory_lock(void);

// Writes to `bytes` of the calling thread's stack (at most 256 KiB), so that these pages cause no fault later.
void linux_stack_prefault(size_t bytes);

// Starts a thread with a stack of `stack_bytes`, which calls `body(context)`. Returns 0, or an errno. `*handle` must be
// passed to linux_thread_join.
int linux_thread_start(unsigned long *handle, size_t stack_bytes, void (*body)(void *), void *context);

// Waits until the thread has ended, or until `deadline_nanoseconds` on CLOCK_MONOTONIC. Returns 0, or an errno:
// ETIMEDOUT if the thread still runs. Then it is detached. In both cases the handle may not be used again.
int linux_thread_join(unsigned long handle, int64_t deadline_nanoseconds);
