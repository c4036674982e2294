package import Primitives
package import Trust
package import Wire

/// Everything that a mesh node wants done. The shell takes one output at a time from `nextOutput()` until nil.
///
/// Rare outputs with large values are indirect, because each output is copied with the size of the largest.
package enum MeshOutput: Sendable {
    case send([UInt8], to: Endpoint)
    case dial(DialID, Endpoint, expecting: NodeID?)
    case cancelDial(DialID)
    /// A dial without an address: the shell runs TLS as the client through the tunnel. It ends like every dial.
    case dialThrough(DialID, TunnelID, expecting: NodeID)
    /// The shell runs TLS as the server through the tunnel, for a peer that asked a neighbour for this tunnel.
    case acceptThrough(TunnelID, expecting: NodeID)
    /// Bytes of the TLS stream that came through the tunnel.
    case tunnelBytes(TunnelID, [UInt8])
    /// The shell may hand over one more piece of the stream.
    case tunnelReady(TunnelID)
    /// The tunnel has ended. The shell closes a carrier in it, or fails a dial through it.
    case tunnelClose(TunnelID)
    /// One frame; the shell adds its length prefix.
    case carrierSend(CarrierID, [UInt8])
    /// A frame that holds a sealed datagram, mostly with voice. The shell queues such frames apart from others, and
    /// drops those that waited for 200 ms.
    case carrierSendVoice(CarrierID, [UInt8])
    /// The shell takes one more frame of the carrier. Until the output `carrierTrust` it takes only the first frame of
    /// a carrier, and one more for each output `carrierAdmitFrame`.
    case carrierAdmitFrame(CarrierID)
    /// The peer's HELLO is accepted: from now on the shell takes any number of frames of the carrier, up to the full
    /// size, and ends the carrier's time limit.
    case carrierTrust(CarrierID)
    /// Closes the carrier, after the frames that were sent before.
    case carrierClose(CarrierID)
    /// Sends a beacon to the multicast group on every interface.
    case sendBeacon([UInt8])
    /// The record of this node from now on. In an open mesh Avahi publishes a service of it.
    indirect case announce(NodeRecord)
    /// The service that Avahi publishes from now on, in a closed mesh.
    indirect case announceSealed(SealedService)

    /// A voice payload of a peer: `VoicePayloadHeader` and blocks.
    case voice([UInt8], from: PeerSlot)
    /// The peer's media clock, also while the peer is silent; it keeps the minimum delay of the jitter buffer
    /// current.
    case peerMediaClock(SampleTime, of: PeerSlot)
    /// The peer's report on what it hears of this node.
    case peerReport(ReceptionReport, from: PeerSlot)
    /// Whether the peer accepts voice without a codec. It does not until it says so.
    case peerTakesPlain(Bool, of: PeerSlot)
    /// A session with a linked peer is in use from now on, until `peerDown` or the next one. Both nodes know its
    /// nonces, 64 bytes, and nobody else does: hashes of tables are keyed with them.
    case sessionBegan(PeerSlot, NodeID, nonces: [UInt8])
    /// A frame of a linked peer about a replicated table.
    case table(TableMessage, from: PeerSlot)
    /// The digests of a linked peer's tables. The round trip is nil if it is unknown.
    case tableDigests([TableDigest], from: PeerSlot, rtt: Interval?)
    /// A frame of a linked peer about a call or a request.
    case call(CallMessage, from: PeerSlot)
    /// A step of a linked peer towards the proof of a channel's code.
    case channelJoin(ChannelJoin, from: PeerSlot)
    /// The channels to which the peer listens, in the order of its list, with the generation of the list. The event
    /// `peerChannels` is for people; this output comes for each new generation too. Generation 0: this node has no list
    /// of the present session yet, and can send the peer no voice on a channel.
    case peerListens([ChannelID], generation: UInt8, of: PeerSlot)
    /// This node has sent the peer this list of the channels to which this node listens. In voice of the peer, a label
    /// with this generation names channels by their positions in this list.
    case channelsAdvertised([ChannelID], generation: UInt8, to: PeerSlot)
    /// The peer holds this generation of this node's channels. It uses no earlier generation in later voice.
    case peerHoldsChannels(generation: UInt8, of: PeerSlot)
    case event(MeshEvent)
    /// The instance counter was rolled back, for example by a restored backup. The shell writes this higher instance to
    /// disk, and then answers with `instanceAdvanced`, even if it could not write it.
    case advanceInstance(Instance)
    /// Slow work, which the shell does on another thread. It answers with `codeProved`.
    case proveCode(CarrierID, CodeTask)
    /// This node, a newcomer, was given the secret of a closed mesh. The shell stores it durably.
    indirect case enteredMesh(MeshGrant)
    /// The shell stores the mesh durably, and then answers with `meshStored`. The reason is one of three. The code was
    /// changed: the new epoch is in use only after the answer. More nodes have proved the newest epoch: the stored mesh
    /// names them. Or this node gives up an epoch that it has made.
    indirect case storeMesh(ClosedMesh)
    /// Name and addresses that the shell stores across a restart. They are a dial hint, not a part of the roster.
    case remember(NodeID, name: SafeText, endpoints: [Endpoint])
}

/// An event for people and for the other parts of the node.
package enum MeshEvent: Hashable, Sendable {
    /// The link is up. Its path is direct and the peer listens on no channel, until later events say otherwise.
    case peerUp(PeerSlot, NodeID, Instance, name: SafeText)
    /// Voice now takes a path of another kind or through another neighbour; the link stays up.
    case pathChanged(PeerSlot, NodeID, PathKind, through: NodeID?)
    case peerVerifying(PeerSlot, NodeID)
    /// The link is down. The slot may later belong to another peer.
    case peerDown(PeerSlot, NodeID, Instance, DownReason)
    /// The link went down although neither side ended it. The peer may be dead.
    case peerSuspected(NodeID)
    /// The peer was suspected for long enough: it counts as dead until it proves that it lives.
    case peerDead(NodeID, Instance)
    /// Whether the link comes and goes. While it does, people are not told of each change.
    case peerFlapping(NodeID, Bool)
    case peerChannels(PeerSlot, NodeID, [ChannelID])
    case peerProfile(NodeID, NodeProfile)
    case peerTalking(PeerSlot, NodeID, Bool)
    /// Whether the peer records what it hears.
    case peerRecording(PeerSlot, NodeID, Bool)
    /// The same boot of the peer continues under a higher instance: the instance counter of the peer had been rolled
    /// back, or a copy of its state folder was started.
    case peerAdvanced(PeerSlot, NodeID, Instance)
    case ownInstanceAdvanced(Instance)
    case ghostDropped(NodeID, Instance)
    case holeRepaired(NodeID)
    /// The peer has failed five times in a row. Reported once, until its link comes up or its failures are forgotten;
    /// `until` is the end of the first wait.
    case quarantined(NodeID, until: Instant)
    case duplicateIdentity(NodeID)
    case refused(NodeID, RefusalReason)
    case admissionAsked(NodeID, name: SafeText)
    /// This node has the words of a comparison with the peer, which two persons read to each other. The peer gets the
    /// same words, unless a node in the middle has altered the exchange. `isOwn`: this node began the comparison.
    case wordsCompared(NodeID, ComparedWords, isOwn: Bool)
    case probeAnswered(PeerSlot, NodeID, rtt: Interval)
    case cliqueComplete(peerCount: Int)
    case cliqueBroken
    /// A new epoch of the mesh is in use. `left`: the nodes that it leaves behind. `through`: the neighbour that has
    /// brought the epoch, if the maker is no neighbour. `hasCode`: nodes can enter the mesh by a code. A neighbour may
    /// have been left behind earlier and have entered again by the code. If it has not proved this epoch after the wait
    /// for proofs, a further event names it in `left`: the maker has not given it the new secret.
    case codeChanged(epoch: UInt32, by: NodeID, through: NodeID?, left: [NodeID], hasCode: Bool)
    case pairing(PairingEvent)
    /// A known member has refused this node: the code was changed, and this node was left behind.
    case leftBehind(by: NodeID)
}

package enum DownReason: UInt8, CaseIterable, Sendable {
    /// The peer said good-bye.
    case left
    /// The link was in verification, and the peer echoed no probe in time.
    case silent
    case newerInstance
    case replaced
    case blocked
    case declined
    case localLeave
    /// The session's keys expired before new keys were agreed.
    case keysExpired
    /// The link ended because the code was changed, and one of the two nodes has not proved the new secret.
    case noProof

    /// Whether the end counts as a flap of the link: the person at this node has not ordered it. A peer may say
    /// good-bye, or refuse its own link, again and again.
    package var isFlap: Bool {
        switch self {
        case .left, .silent, .newerInstance, .replaced, .declined, .keysExpired, .noProof: true
        case .blocked, .localLeave: false
        }
    }
}
