import Primitives

/// Bounds of everything on the network (docs/WIRE.md, "Limits").
package enum WireLimits {
    /// The protocol version that this node speaks.
    package static let version: UInt32 = 7
    /// Kind byte and body of a carrier frame; `carrierFrameBytesBeforeHelloMax` until the peer's HELLO is accepted.
    package static let carrierFrameBytesMax = 65_536
    package static let carrierFrameBytesBeforeHelloMax = 2_048
    /// How deep messages may be nested.
    package static let protobufDepthMax = 16
    package static let recordBytesMax = 512
    package static let recordEndpointsMax = 8
    package static let recordExtensionsMax = 16
    /// All extensions of this node's own record, with their count, kinds and lengths; those that are properties, such
    /// as `NodeProfile.feedsProgramme`, are among them. They fit into `recordBytesMax` beside the longest texts and
    /// `recordEndpointsMax` addresses of IPv6.
    package static let ownRecordExtensionsBytesMax = 110
    /// Characters, and UTF-8 bytes, of a node's name and of its role.
    package static let profileTextGraphemesMax = 24
    package static let profileTextBytesMax = 96
    package static let recordsPerFrameMax = 16
    package static let recordVersionsPerFrameMax = 1_024
    /// Bytes for an entry of CHANNELS or LINK_STATES: an entry takes some 50 bytes now, and may grow.
    package static let listEntryBytesMax = 128
    package static let linkStatesMax = MeshScale.peersMax
    /// The highest classes of round trip and loss (docs/WIRE.md, "Carrier frames").
    package static let linkStateRTTClassMax: UInt8 = 15
    package static let linkStateLossClassMax: UInt8 = 5
    /// Channels to which a node listens at the same time: the places of a voice label.
    package static let channelsListenedMax = 14
    /// Channels on which a node may talk and to which it does not listen: with those above the places of a tally.
    package static let channelsTalkedMax = 18
    /// CHANNELS: room for 32 entries, since the message may grow by other lists (docs/WIRE-NEXT.md).
    package static let channelsBytesMax = 4_096
    /// The time for which a call is open.
    package static let callMilliseconds: ClosedRange<UInt32> = 1_000...120_000
    /// Characters, and UTF-8 bytes, of the text of a call.
    package static let callTextGraphemesMax = 24
    package static let callTextBytesMax = 96
    package static let meshNameBytesMax = 64
    /// Characters, and UTF-8 bytes, of a channel's name.
    package static let channelNameGraphemesMax = 24
    package static let channelNameBytesMax = 96
    /// The highest epoch and version of a channel's entry. They are absolute: a bound that depends on what a node knows
    /// would make two nodes accept different entries.
    package static let channelEpochMax: UInt16 = 999
    package static let channelVersionMax: UInt16 = 1_000
    package static let channelExtensionsMax = 8
    package static let channelExtensionsBytesMax = 96
    package static let channelEntryBytesMax = 438
    /// Bits of a time in seconds since 1970.
    package static let timeBits = 48
    /// Digests of tables in one datagram.
    package static let tableDigestsMax = 4
    package static let tableEntriesMax = 512
    /// All entries in one TABLE_ENTRIES.
    package static let tableEntriesBytesMax = 48_000
    /// A whole UDP payload; with its headers it fits into the smallest IPv6 MTU (RFC 8200 §5).
    package static let datagramBytesMax = 1_200
    /// Beside a control block with the longest list and all digests, a datagram with so much padding can be relayed.
    package static let paddingBytesMax = 740
    /// A whole sealed datagram inside another one; leaves room for the outer header, NodeID and tag.
    package static let relayedDatagramBytesMax = 1_120
    /// The voice section of a datagram body.
    package static let voicePayloadBytesMax = 1_100
    package static let voiceBlocksMax = 5
    /// The sound of one block: 20 ms coded at 200 kb/s, or 5 ms of plain sound. With longer plain sound no copy would
    /// fit into a packet.
    package static let voiceBlockBytesMax = 512
    package static let beaconBytesMax = 1_024
    /// A beacon of a closed mesh: its head, and the longest sealed record.
    package static let sealedBeaconBytesMax = 679
    /// Tags in the PROOF of a member: one for each secret that it holds.
    package static let proofTags = 1...2
    /// The first epoch that a change of the code makes.
    package static let epochNumberMin: UInt32 = 2
    /// Nodes in each of the two lists of an epoch entry.
    package static let epochNodesMax = 256
    package static let epochEntryBytesMax = 16_569
    package static let epochFrameBytesMax = 20_480
    /// Bytes of the stream in one frame of a tunnel.
    package static let tunnelDataBytesMax = 4_096
    /// The most that an end of a tunnel may have sent without credit, in `TunnelStep.cost`.
    package static let tunnelWindowBytes = 16_384
}

/// Fields whose size never varies, in bytes.
package enum WireSizes {
    package static let publicKeyBytes = 32
    package static let signatureBytes = 64
    package static let nonceBytes = 32
    package static let secretBytes = 32
    package static let instanceBytes = 6
    package static let meshIDBytes = 16
    package static let channelIDBytes = 16
    /// A tag of a secret, in PROOF and in beacons.
    package static let proofTagBytes = 16
    package static let memberProofBytes = 32
    package static let joinShareBytes = 32
    package static let joinTagBytes = 64
    package static let channelPointerBytes = 16
    package static let beaconSaltBytes = 16
    /// Nonce and tag of AES-128-GCM.
    package static let sealNonceBytes = 12
    package static let sealTagBytes = 16
    /// A nonce, and a NodeID that is sealed under it.
    package static let sealedNodeBytes = sealNonceBytes + NodeID.byteCount + sealTagBytes
    /// A time in seconds since 1970.
    package static let timeBytes = 6
    /// The id of an entry, and a hash of 8 bytes.
    package static let tableItemBytes = 32
    /// The part of a channel's id in the digest of a table of this channel.
    package static let scopePrefixBytes = 8
    /// A datagram body that holds a path challenge, or its answer, and nothing else.
    package static let pathNumberBodyBytes = 9
    /// What a frame takes from the window of a tunnel, in addition to its bytes.
    package static let tunnelFrameCost = 64
}
