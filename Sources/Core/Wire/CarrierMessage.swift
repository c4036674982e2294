package import Primitives

/// One frame of the carrier: a message that a pair exchanges over TLS.
package enum CarrierMessage: Hashable, Sendable {
    case hello(Hello)
    case invite(Invite)
    case accept(Accept)
    /// The follower refuses, with the reason.
    case decline(RefusalReason)
    /// The leader refuses, for good or for now; this does not count as a failure.
    case refuse(RefusalReason, retryAfterMilliseconds: UInt32)
    /// A connect request of another node, forwarded by a neighbour of both.
    case connectRequest(SignedConnectRequest)
    /// Re-key: the leader's offer, the follower's answer, the leader's confirmation.
    case mediaKey(MediaKeyOffer)
    case mediaKeyAnswer(MediaKeyOffer)
    case mediaKeyConfirm(generation: UInt32)
    /// Every channel that the sender is on; replaces its earlier list. A voice payload names a channel by its index
    /// in this list. The generation is at least 1.
    case channels([ChannelID], talks: [ChannelID] = [], generation: UInt8)
    /// Signed records, at most `WireLimits.recordsPerFrameMax`.
    case records([SignedRecord])
    /// The versions of the sender's records. The receiver answers with the records that the sender lacks
    /// (anti-entropy).
    case recordVersions([NodeVersion])
    /// All links of the sender; replaces its earlier link states. The generation is at least 1.
    case linkStates([AdvertisedLink], generation: UInt16)
    /// The sender leaves; the receiver ignores what follows.
    case leave
    /// A sealed datagram, sent over the carrier if UDP does not pass.
    case datagram([UInt8])
    /// A step of a tunnel that ends at the receiver, or that the receiver forwards.
    case tunnel(TunnelFrame)
    /// A comparison of a replicated table.
    case table(TableMessage)
    /// A call or a request of a person, or an answer to one.
    case call(CallMessage)
    /// A proof of membership, or a step towards it.
    case admission(AdmissionMessage)
    /// A step of the proof of a channel's code, between two linked nodes.
    case channelJoin(ChannelJoin)
    /// A new epoch of a closed mesh, for a member that stays.
    case epoch(EpochGrant)
    /// A step of a comparison of words between two persons.
    case words(WordStep)
}

/// The first message of each side, after TLS has proved the side's identity.
package struct Hello: Hashable, Sendable {
    package var versionMin: UInt32
    package var versionMax: UInt32
    /// The name of the mesh, for people.
    package var mesh: String
    /// Nodes of different meshes never link.
    package var meshID: MeshID
    package var record: SignedRecord
    /// The newest record of the receiver that the sender has. It shows the receiver that its instance counter was
    /// rolled back.
    package var yourRecord: SignedRecord?
    /// 32 random bytes of this connection, echoed by INVITE and ACCEPT.
    package var nonce: [UInt8]
    package var bootNonce: BootNonce
    package var mediaPort: UInt16
    /// The highest instance of the receiver that the sender has seen; nil if it has seen none.
    package var yourInstanceSeen: Instance?

    package init(
        versionMin: UInt32, versionMax: UInt32, mesh: String, meshID: MeshID, record: SignedRecord,
        yourRecord: SignedRecord?, nonce: [UInt8], bootNonce: BootNonce, mediaPort: UInt16, yourInstanceSeen: Instance?
    ) {
        self.versionMin = versionMin
        self.versionMax = versionMax
        self.mesh = mesh
        self.meshID = meshID
        self.record = record
        self.yourRecord = yourRecord
        self.nonce = nonce
        self.bootNonce = bootNonce
        self.mediaPort = mediaPort
        self.yourInstanceSeen = yourInstanceSeen
    }
}

/// The leader's invitation. It echoes the nonce of the follower's HELLO, which proves that it answers that HELLO.
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
    /// The key id by which the offering side finds the key for a datagram that it receives.
    package var keyID: UInt32
    /// X25519 public key, 32 bytes (RFC 7748).
    package var ephemeralPublicKey: [UInt8]
    /// 32 random bytes. They are sent only inside TLS, whose key exchange is post-quantum (X25519MLKEM768).
    package var secret: [UInt8]
    package init(generation: UInt32, keyID: UInt32, ephemeralPublicKey: [UInt8], secret: [UInt8]) {
        self.generation = generation
        self.keyID = keyID
        self.ephemeralPublicKey = ephemeralPublicKey
        self.secret = secret
    }
}

/// A follower's request that one leader dial it, signed by the follower and forwarded by a neighbour of both.
package struct SignedConnectRequest: Hashable, Sendable {
    package var record: SignedRecord
    package var leader: NodeID
    /// Rises with every connect request of this boot, so that no connect request can be replayed.
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
    /// Seconds since the record's subject was last seen; 65,535 also if it was never seen (indirect). The receiver
    /// ignores a value that is not smaller than its own.
    package var seenSecondsAgo: UInt16
    package init(node: NodeID, version: RecordVersion, seenSecondsAgo: UInt16) {
        self.node = node
        self.version = version
        self.seenSecondsAgo = seenSecondsAgo
    }
}

/// One link of the sender, with its path and quality: one cell of the mesh's matrix.
package struct AdvertisedLink: Hashable, Sendable {
    package var peer: NodeID
    package var instance: Instance
    package var path: PathKind
    /// Class of the round trip. 0: below 1 ms, then one more for each doubling; 15: unknown.
    package var rttClass: UInt8
    /// Class of the loss. 0: none, 1: below 1 %, 2: below 5 %, 3: below 10 %, 4: below 20 %, 5: more.
    package var lossClass: UInt8
    package init(peer: NodeID, instance: Instance, path: PathKind, rttClass: UInt8, lossClass: UInt8) {
        self.peer = peer
        self.instance = instance
        self.path = path
        self.rttClass = rttClass
        self.lossClass = lossClass
    }
}

/// Kind of a path. Public, as `Instant` is, because kinds are compared many times for each packet.
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
    /// The sender has seen a newer instance of the receiver.
    case staleInstance = 2
    /// Two living boots share one identity.
    case duplicateIdentity = 3
    case full = 4
    /// A person at the sender decides about the receiver, and has not decided yet.
    case undecided = 5
    case notAllowed = 6
    case blocked = 7
    /// Not now: the sender waits after failures with the receiver and has ended such a wait too lately to end it now,
    /// or it first has to check another boot of the receiver.
    case coolingDown = 8
    /// The two have a link, or an invitation on another carrier.
    case alreadyLinked = 9
    /// The connection came from outside the networks of the sender, and from no address that the user there gave.
    case offLink = 10
    /// The mesh is closed, and the receiver has not shown that it belongs to it.
    case noProof = 11
    /// The receiver's code of the mesh is wrong, or the sender's.
    case wrongCode = 12
}
