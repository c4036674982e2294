#pragma once
// Sockets for the network adapters: addresses as plain numbers, UDP sockets with their options, and an outbox of
// datagrams that are sent together by sendmmsg(2). Errors are returned as negative errno.
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// An IPv4 or IPv6 address in two big-endian words (IPv4 as an IPv4-mapped address), with scope and port.
struct linux_endpoint {
    uint64_t high;
    uint64_t low;
    uint32_t scope;
    uint16_t port;
};

struct sockaddr_in linux_sockaddr_in(struct linux_endpoint endpoint);
struct sockaddr_in6 linux_sockaddr_in6(struct linux_endpoint endpoint);
/// Converts a socket address. Returns false if it is NULL, or neither IPv4 nor IPv6.
bool linux_endpoint_of(const struct sockaddr *address, struct linux_endpoint *out);
/// Length of the prefix that `netmask` describes, in bits; -1 if it is NULL, or neither IPv4 nor IPv6.
int linux_prefix_length(const struct sockaddr *netmask);

struct linux_udp_options {
    int receive_buffer_bytes;
    int send_buffer_bytes;
    /// Differentiated services code point (RFC 2474); 0 keeps the default.
    int dscp;
    /// SO_PRIORITY; 0 keeps the default.
    int priority;
};

/// Opens a non-blocking UDP socket and binds it to `endpoint`, also if the host does not have the address yet. An IPv6
/// socket does not receive IPv4. Returns the descriptor, or a negative errno. Buffer sizes, DSCP and priority that the
/// system refuses are not an error.
int linux_udp_open(struct linux_endpoint endpoint, struct linux_udp_options options);
/// Writes the address to which a socket is bound. Returns 0, or a negative errno.
int linux_local_endpoint(int descriptor, struct linux_endpoint *out);

/// Opens a non-blocking UDP socket for one multicast group on one interface. It is bound to the group, so it receives
/// no datagram that was sent to another address. Other nodes of this host may bind the same port (SO_REUSEADDR), and
/// the socket receives their datagrams too. It sends with a hop limit of 1. Returns the descriptor, or a negative
/// errno.
int linux_multicast_open(struct linux_endpoint group, uint32_t interface_index);
/// Leaves the group of such a socket and joins it again, so that the kernel reports the membership to the network.
/// Returns 0, or a negative errno.
int linux_multicast_rejoin(int descriptor, struct linux_endpoint group, uint32_t interface_index);
/// Sends one datagram without blocking. Returns 0, or a negative errno.
int linux_send_to(int descriptor, const void *bytes, size_t count, struct linux_endpoint to);

enum { linux_outbox_slots = 64, linux_outbox_slot_bytes = 2048 };
/// Datagrams that are sent together. Only linux_outbox_new allocates.
struct linux_outbox;
struct linux_outbox *linux_outbox_new(void);
void linux_outbox_free(struct linux_outbox *outbox);
/// Copies a datagram into the outbox. Returns the number of datagrams in it, or -1 if the datagram is longer than a
/// slot or the outbox is full.
int linux_outbox_put(struct linux_outbox *outbox, const void *bytes, size_t count, struct linux_endpoint to);
/// Sends all datagrams and empties the outbox; a datagram that fails is skipped. Writes an errno for each of these to
/// `errors`, which must have room for `linux_outbox_slots`, and their number to `error_count`. Returns the number sent.
int linux_outbox_flush(struct linux_outbox *outbox, int descriptor, int *errors, int *error_count);
