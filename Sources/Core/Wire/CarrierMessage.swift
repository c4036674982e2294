package import Primitives

/// One frame of the carrier: what a pair says over TLS.
package enum CarrierMessage: Hashable, Sendable {
    case hello(Hello)
    case invite(Invite)
    case accept(Accept)
    /// The follower will not: with the reason.
    case decline(RefusalReason)
    /// The leader will not, or not yet; counts as no failure.
    case refuse(RefusalReason, retryAfterMilliseconds: UInt32)
    /// A connect request of another node, brought by a neighbour that both know.
    case connectRequest(SignedConnectRequest)
    /// Re-key: the leader's offer, the follower's answer, the leader's confirmation.
    case mediaKey(MediaKeyOffer)
    case mediaKeyAnswer(MediaKeyOffer)
    case mediaKeyConfirm(generation: UInt32)
    /// Every channel that the sender is on; replaces what it said before. A voice payload names a
    /// channel by its index in this list.
    case channels([ChannelID])
    /// Signed records, newest first, at most `WireLimits.recordsPerFrameMax`.
    case records([SignedRecord])
    /// What the sender has, asking for what differs (anti-entropy).
    case recordVersions([NodeVersion])
    /// Who the sender is linked to.
    case linkStates([AdvertisedLink])
    /// What differs from the row that the sender has told on this carrier so far.
    case linkChanges([LinkChange])
    /// The sender goes; nothing after it counts.
    case leave
    /// A sealed datagram, where UDP does not pass.
    case datagram([UInt8])
    /// A step of a tunnel: of one that ends at the receiver, or that it forwards.
    case tunnel(TunnelFrame)
}

/// First message of either side, once TLS has proved who it is.
package struct Hello: Hashable, Sendable {
    package var versionMin: UInt32
    package var versionMax: UInt32
    /// Nodes of different meshes never link.
    package var mesh: String
    package var record: SignedRecord
    /// The newest record of the receiver that the sender has: heals a rolled-back counter.
    package var yourRecord: SignedRecord?
    /// 32 random bytes of this connection, echoed by INVITE and ACCEPT.
    package var nonce: [UInt8]
    package var bootNonce: BootNonce
    package var mediaPort: UInt16
    /// The highest instance of the receiver that the sender has met; nil where none.
    package var yourInstanceSeen: Instance?

    package init(
        versionMin: UInt32, versionMax: UInt32, mesh: String, record: SignedRecord, yourRecord: SignedRecord?,
        nonce: [UInt8], bootNonce: BootNonce, mediaPort: UInt16, yourInstanceSeen: Instance?
    ) {
        self.versionMin = versionMin
        self.versionMax = versionMax
        self.mesh = mesh
        self.record = record
        self.yourRecord = yourRecord
        self.nonce = nonce
        self.bootNonce = bootNonce
        self.mediaPort = mediaPort
        self.yourInstanceSeen = yourInstanceSeen
    }
}

/// The leader's invitation; it proves that it answers this follower's HELLO by echoing its nonce.
package struct Invite: Hashable, Sendable {
    package var attempt: UInt32
    package var nonceEcho: [UInt8]
    package var keys: MediaKeyOffer
    package init(attempt: UInt32, nonceEcho: [UInt8], keys: MediaKeyOffer) {
        self.attempt = attempt
        self.nonceEcho = nonceEcho
        self.keys = keys
    }
}

package struct Accept: Hashable, Sendable {
    package var attempt: UInt32
    package var nonceEcho: [UInt8]
    package var keys: MediaKeyOffer
    package init(attempt: UInt32, nonceEcho: [UInt8], keys: MediaKeyOffer) {
        self.attempt = attempt
        self.nonceEcho = nonceEcho
        self.keys = keys
    }
}

/// One side's half of a generation of media keys.
package struct MediaKeyOffer: Hashable, Sendable {
    package var generation: UInt32
    /// The key id by which the offerer will look up what it receives.
    package var keyID: UInt32
    /// X25519 public key, 32 bytes (RFC 7748).
    package var ephemeralPublicKey: [UInt8]
    /// 32 random bytes; travel only inside TLS, whose exchange is post-quantum.
    package var secret: [UInt8]
    package init(generation: UInt32, keyID: UInt32, ephemeralPublicKey: [UInt8], secret: [UInt8]) {
        self.generation = generation
        self.keyID = keyID
        self.ephemeralPublicKey = ephemeralPublicKey
        self.secret = secret
    }
}

/// "Please invite me": signed by the follower for one leader, carried by a common neighbour.
package struct SignedConnectRequest: Hashable, Sendable {
    package var record: SignedRecord
    package var leader: NodeID
    /// Rises with every connect request of this boot, so that a connect request cannot be brought twice.
    package var sequence: UInt32
    package var signature: [UInt8]
    package init(record: SignedRecord, leader: NodeID, sequence: UInt32, signature: [UInt8]) {
        self.record = record
        self.leader = leader
        self.sequence = sequence
        self.signature = signature
    }
}

package struct NodeVersion: Hashable, Sendable {
    package var node: NodeID
    package var version: RecordVersion
    /// Seconds since the record's subject was last witnessed, capped; only ever the smaller counts.
    package var seenSecondsAgo: UInt16
    package init(node: NodeID, version: RecordVersion, seenSecondsAgo: UInt16) {
        self.node = node
        self.version = version
        self.seenSecondsAgo = seenSecondsAgo
    }
}

/// One cell of the who-hears-whom matrix.
package struct AdvertisedLink: Hashable, Sendable {
    package var peer: NodeID
    package var instance: Instance
    package var path: PathKind
    /// 0: below 1 ms, then doubling; 15: unknown.
    package var rttClass: UInt8
    /// Tenths of loss: 0: none, 1: below 1 %, 2: below 5 %, 3: below 10 %, 4: below 20 %, 5: more.
    package var lossClass: UInt8
    package init(peer: NodeID, instance: Instance, path: PathKind, rttClass: UInt8, lossClass: UInt8) {
        self.peer = peer
        self.instance = instance
        self.path = path
        self.rttClass = rttClass
        self.lossClass = lossClass
    }
}

/// One difference between two tellings of a link row (docs/WIRE.md, LINK_CHANGES).
package enum LinkChange: Hashable, Sendable {
    /// A link that is new, or another than was told.
    case advertised(AdvertisedLink)
    case lost(NodeID)
}

/// Public, as `Instant` is: paths are compared many times a packet.
public enum PathKind: UInt8, CaseIterable, Sendable {
    case direct = 0
    /// Through a common neighbour.
    case relay = 1
    /// Inside the TLS stream.
    case carrier = 2
}

package enum RefusalReason: UInt8, CaseIterable, Sendable, Error {
    case otherMesh = 0
    case version = 1
    /// The sender has met a newer instance of the receiver.
    case staleInstance = 2
    /// Two living boots share one identity.
    case duplicateIdentity = 3
    case full = 4
    /// The sender's person decides about invitations and has not yet.
    case undecided = 5
    case notAllowed = 6
    case blocked = 7
    /// Recovering from failures with this peer.
    case coolingDown = 8
    /// A link between the two exists and this attempt is not newer.
    case alreadyLinked = 9
    /// The connection comes from beyond the receiver's own networks, and nobody there has named its sender.
    case offLink = 10
}
