#pragma once

/// Opens a non-blocking rtnetlink socket, which receives a message for each change of a network interface or of its
/// IPv4 and IPv6 addresses. Returns the descriptor, or a negative errno.
int linux_netlink_open(void);
