#pragma once

/// Takes an exclusive lock by flock(2), without waiting. Returns 0, or an errno: EWOULDBLOCK if another descriptor has
/// the lock.
int linux_lock_exclusive(int descriptor);
