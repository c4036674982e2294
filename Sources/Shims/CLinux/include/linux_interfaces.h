#pragma once
// The addresses of this host's network interfaces, and the kind of each interface.
#include "linux_net.h"

struct linux_interface_address {
    char name[16];
    uint32_t index;
    struct linux_endpoint address;
    int prefix_length;
    bool is_loopback;
    bool is_broadcast;
    bool can_multicast;
    bool is_wireless;
    /// Whether the interface is made by software on this host. False for bonds and VLANs, since these use a real wire.
    bool is_virtual;
};

/// Writes the addresses of all interfaces that are up and running, at most `capacity`. Returns their number, or a
/// negative errno.
int linux_interface_addresses(struct linux_interface_address *out, int capacity);
