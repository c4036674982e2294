// Takes privileges of root from a single thread of the test process.
#pragma once

// Takes CAP_SYS_NICE from the calling thread alone, for good. Returns 0, or an errno.
int thread_privilege_drop_nice(void);
