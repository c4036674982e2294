// Counts what each thread of the test process asks of malloc and gives back to it.
//
// The functions of the malloc family are defined here in the executable itself, which the dynamic
// linker searches first, so libasound, libopus and the Swift runtime are counted too.
#pragma once
#include <stdint.h>

// False under a sanitizer, which has a malloc of its own.
int allocation_count_is_active(void);

// malloc, calloc, realloc, aligned and free calls since start of all threads called `name` (as in
// /proc/self/task/TID/comm); -1 where no such thread has ever called one.
int64_t allocation_count_of_thread_named(const char *name);

// The same for the calling thread.
int64_t allocation_count_of_this_thread(void);
