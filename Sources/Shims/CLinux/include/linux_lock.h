#pragma once

/// flock(2) on a descriptor, exclusive, without waiting: 0, or the error number
/// (EWOULDBLOCK where another descriptor holds it).
int linux_lock_exclusive(int descriptor);
