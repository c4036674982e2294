#define _GNU_SOURCE
#include "linux_interfaces.h"

#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has(const char *name, const char *entry) {
    char path[64];
    snprintf(path, sizeof path, "/sys/class/net/%s/%s", name, entry);
    return access(path, F_OK) == 0;
}

static bool is_made_by_software(const char *name) {
    char path[64], resolved[PATH_MAX];
    snprintf(path, sizeof path, "/sys/class/net/%s", name);
    if (realpath(path, resolved) == NULL) return false;
    if (strstr(resolved, "/devices/virtual/") == NULL) return false;
    snprintf(path, sizeof path, "/proc/net/vlan/%s", name);
    return !has(name, "bonding") && access(path, F_OK) != 0;
}

int linux_interface_addresses(struct linux_interface_address *out, int capacity) {
    struct ifaddrs *list;
    if (getifaddrs(&list) < 0) return -errno;
    int count = 0;
    for (struct ifaddrs *entry = list; entry != NULL && count < capacity; entry = entry->ifa_next) {
        struct linux_interface_address item = {0};
        item.is_running = (entry->ifa_flags & IFF_UP) && (entry->ifa_flags & IFF_RUNNING);
        item.has_address = linux_endpoint_of(entry->ifa_addr, &item.address);
        // The C library lists every interface once by itself, before the addresses.
        bool is_link = entry->ifa_addr != NULL && entry->ifa_addr->sa_family == AF_PACKET;
        if (item.has_address ? !item.is_running : !is_link) continue;
        item.index = if_nametoindex(entry->ifa_name);
        item.prefix_length = item.has_address ? linux_prefix_length(entry->ifa_netmask) : 0;
        if (item.index == 0 || item.prefix_length < 0) continue;
        snprintf(item.name, sizeof item.name, "%s", entry->ifa_name);
        item.is_loopback = entry->ifa_flags & IFF_LOOPBACK;
        item.is_broadcast = entry->ifa_flags & IFF_BROADCAST;
        item.can_multicast = entry->ifa_flags & IFF_MULTICAST;
        item.is_wireless = has(item.name, "wireless") || has(item.name, "phy80211");
        item.is_virtual = !item.is_loopback && is_made_by_software(item.name);
        if (is_link && (item.is_loopback || item.is_virtual)) continue;
        out[count++] = item;
    }
    freeifaddrs(list);
    return count;
}
