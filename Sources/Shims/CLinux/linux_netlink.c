#include "linux_netlink.h"

#include <errno.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <unistd.h>

int linux_netlink_open(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0) return -errno;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
        int reason = errno;
        close(descriptor);
        return -reason;
    }
    return descriptor;
}
