package import Primitives
package import Wire

/// Everything that a mesh node wants done: taken one by one from `nextOutput()` until nil.
package enum MeshOutput: Sendable {
    case send([UInt8], to: Endpoint)
    case dial(DialID, Endpoint, expecting: NodeID?)
    case cancelDial(DialID)
    /// A dial without an address: TLS as the client, its bytes through the tunnel. Ends as every dial does.
    case dialThrough(DialID, TunnelID, expecting: NodeID)
    /// TLS as the server, for a peer that has asked for it through a neighbour.
    case acceptThrough(TunnelID, expecting: NodeID)
    /// Bytes of the stream, for TLS.
    case tunnelBytes(TunnelID, [UInt8])
    /// The shell may hand over one more piece.
    case tunnelReady(TunnelID)
    /// The tunnel is over. A carrier in it closes, a dial through it fails.
    case tunnelClose(TunnelID)
    /// One frame; the shell puts the length before it.
    case carrierSend(CarrierID, [UInt8])
    /// A frame that holds voice: queue of its own, 200 ms, the oldest is dropped.
    case carrierSendVoice(CarrierID, [UInt8])
    /// Frames sent before still go out.
    case carrierClose(CarrierID)
    /// To the multicast group on every interface.
    case sendBeacon([UInt8])
    /// What Avahi and other announcers should publish now.
    case announce(NodeRecord)

    /// An encoded `VoicePayload` of a peer.
    case voice([UInt8], from: PeerSlot)
    /// The peer's media clock, also in silence; keeps the jitter buffer's minimum alive.
    case peerMediaClock(SampleTime, of: PeerSlot)
    /// What the peer hears of this node.
    case peerReport(ReceptionReport, from: PeerSlot)
    /// The peer takes voice without a codec, or no longer; it does not until it says so.
    case peerTakesPlain(Bool, of: PeerSlot)
    case event(MeshEvent)
    /// The counter was rolled back: write this instance durably, then say `instanceAdvanced`.
    case advanceInstance(Instance)
    /// Worth keeping across a restart: a dial hint, no roster.
    case remember(NodeID, name: SafeText, endpoints: [Endpoint])
}

/// What people and the other parts of the node are told.
package enum MeshEvent: Hashable, Sendable {
    /// From here on its path is direct and it listens on no channel, until told otherwise.
    case peerUp(PeerSlot, NodeID, Instance, name: SafeText)
    /// The voice goes another way now, of another kind or through another neighbour; nothing is lost.
    case pathChanged(PeerSlot, NodeID, PathKind, through: NodeID?)
    case peerVerifying(PeerSlot, NodeID)
    /// The link is gone; `slot` will be given to another peer.
    case peerDown(PeerSlot, NodeID, Instance, DownReason)
    /// The link is down by accident; the peer may be dead.
    case peerSuspected(NodeID)
    /// The slow verdict: gone until proved otherwise.
    case peerDead(NodeID, Instance)
    /// Its link comes and goes: until the calm has lasted, people are not told of each turn.
    case peerFlapping(NodeID, Bool)
    /// Nearly everybody failed and the fault was here: all waits were ended.
    case localReset(peerCount: Int)
    case peerChannels(PeerSlot, NodeID, [ChannelID])
    case peerProfile(NodeID, name: SafeText, role: SafeText, colour: UInt32)
    case peerTalking(PeerSlot, NodeID, Bool)
    /// It records what it hears, or no more.
    case peerRecording(PeerSlot, NodeID, Bool)
    /// The same boot goes on under a higher instance: its counter had been rolled back.
    case peerAdvanced(PeerSlot, NodeID, Instance)
    case ownInstanceAdvanced(Instance)
    case ghostDropped(NodeID, Instance)
    case holeRepaired(NodeID)
    case quarantined(NodeID, until: Instant)
    case duplicateIdentity(NodeID)
    case refused(NodeID, RefusalReason)
    case invitationAsked(NodeID, name: SafeText)
    case probeAnswered(PeerSlot, NodeID, rtt: Interval)
    case cliqueComplete(peerCount: Int)
    case cliqueBroken
}

package enum DownReason: UInt8, CaseIterable, Sendable {
    /// The peer said good-bye.
    case left
    /// Silent for the limit, and no probe answered.
    case silent
    case newerInstance
    case replaced
    case blocked
    case declined
    case localLeave
    /// The session's keys ran out without a re-key.
    case keysExpired

    /// Nobody wanted it.
    package var isAccident: Bool {
        switch self {
        case .silent, .newerInstance, .replaced, .keysExpired: true
        case .left, .blocked, .declined, .localLeave: false
        }
    }
}
