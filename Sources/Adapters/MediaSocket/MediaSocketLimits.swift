/// Bounds of the media socket.
package enum MediaSocketLimits {
    /// The limit of a datagram. One of this size or longer is not of this protocol and is dropped. It is above the
    /// 1,200 bytes that a node sends (RFC 8200 §5: every IPv6 link carries 1,280).
    package static let datagramBytesMax = 2_048
    /// Datagrams that one recvmmsg reads at most. NIO prepares that many for each call, and mostly one or two come.
    package static let batchDatagramsMax = 16
    /// The packets of 160 ms from 64 peers at 400 packets/s, or from 32 peers at 800, of 250 bytes each. The kernel may
    /// give less.
    package static let receiveBufferBytes: Int32 = 1_024 * 1_024
    package static let sendBufferBytes: Int32 = 512 * 1_024
    /// Expedited forwarding (RFC 3246), for voice (RFC 4594 §4.1).
    package static let dscpExpedited: Int32 = 46
    /// The highest priority that needs no privilege. `pfifo_fast` puts it into its first band.
    package static let socketPriority: Int32 = 6
}
