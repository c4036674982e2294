#pragma once
// Tells of changes to links and addresses.

/// A non-blocking rtnetlink socket that hears of changes to links and to addresses of both
/// families; a negative errno where the system has none.
int linux_netlink_open(void);
