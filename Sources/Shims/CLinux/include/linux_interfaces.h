#pragma once
// The addresses of this host's network interfaces, and the kind of each interface.
#include "linux_net.h"

struct linux_interface_address {
    char name[16];
    uint32_t index;
    /// False in the row that stands for a network card itself: `address` and `prefix_length` have no meaning there.
    bool has_address;
    struct linux_endpoint address;
    int prefix_length;
    /// Whether the interface is up and has a carrier. Always so where `has_address`.
    bool is_running;
    bool is_loopback;
    bool is_broadcast;
    bool can_multicast;
    bool is_wireless;
    /// Whether the interface is made by software on this host. False for bonds and VLANs, since these use a real wire.
    bool is_virtual;
};

/// Writes at most `capacity` rows: one for each network card, whether it is running or not, and then one for each
/// address of the interfaces that are up and running, but for the tentative ones. Returns their number, or a negative
/// errno.
int linux_interface_addresses(struct linux_interface_address *out, int capacity);

/// Whether an IPv6 address of the interface `index` is tentative by `table`, a text in the form of /proc/net/if_inet6:
/// no connection can come from the address or lead to it while the kernel looks for a duplicate on the network, some
/// two seconds, or after it has found one (RFC 4862 §5.4). False if the table does not have the address.
bool linux_is_tentative(const char *table, struct linux_endpoint address, uint32_t index);
