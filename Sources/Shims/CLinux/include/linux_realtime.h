// What makes a thread punctual: scheduling class, nice value, locked memory, a touched stack.
#pragma once
#include <stddef.h>

// Puts the calling thread into SCHED_FIFO; 0 or an errno (EPERM without the right to).
int linux_thread_make_fifo(int priority);

// Puts the calling thread back into SCHED_OTHER; 0 or an errno.
int linux_thread_make_ordinary(void);

// Sets the nice value of the calling thread alone; 0 or an errno.
int linux_thread_set_nice(int nice_value);

// At most 15 bytes; longer names are cut.
void linux_thread_set_name(const char *name);

// Locks what is mapped and what will be, page by page as it is touched. Only where the limit is
// unlimited: under a small RLIMIT_MEMLOCK the next mmap of a locked process fails. 0 or an errno.
int linux_memory_lock(void);

// Touches `bytes` of the calling thread's stack (at most 256 KiB), so that no page fault comes later.
void linux_stack_prefault(size_t bytes);

// Starts `body(context)` on a thread of its own with a stack of `stack_bytes`; 0 or an errno.
// `*handle` is for linux_thread_join alone.
int linux_thread_start(unsigned long *handle, size_t stack_bytes, void (*body)(void *), void *context);

// Waits until the thread has ended; 0 or an errno.
int linux_thread_join(unsigned long handle);
