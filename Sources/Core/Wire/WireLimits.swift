import Primitives

/// Bounds of everything on the network (docs/WIRE.md, "Limits").
package enum WireLimits {
    /// The protocol version that this node speaks.
    package static let version: UInt32 = 1
    /// A carrier frame's body; `carrierFrameBytesBeforeHelloMax` until HELLO was accepted.
    package static let carrierFrameBytesMax = 65_536
    package static let carrierFrameBytesBeforeHelloMax = 2_048
    package static let protobufDepthMax = 16
    package static let recordBytesMax = 512
    package static let recordEndpointsMax = 8
    package static let recordsPerFrameMax = 16
    package static let recordVersionsPerFrameMax = 1_024
    package static let linkRowEntriesMax = MeshScale.peersMax
    package static let channelsMax = 32
    package static let meshNameBytesMax = 64
    /// A whole UDP payload; fits into the smallest IPv6 MTU with headers (RFC 8200 §5).
    package static let datagramBytesMax = 1_200
    /// The voice section of a datagram body.
    package static let voicePayloadBytesMax = 1_100
    package static let voiceBlocksMax = 4
    package static let voiceBlockBytesMax = 1_024
    package static let beaconBytesMax = 1_024
}
