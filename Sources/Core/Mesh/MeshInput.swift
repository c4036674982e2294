package import Primitives
package import Wire

/// Everything that can happen to a mesh node: the one door in.
package enum MeshInput: Sendable {
    /// Nothing but that time has passed.
    case deadline
    /// A UDP datagram; `local` is nil where the shell does not know the own address it came to.
    case datagram([UInt8], from: Endpoint)
    /// A hint from Avahi, a state file or the user that somebody may be at these addresses.
    case discovered(PeerHint)
    /// A multicast beacon.
    case beacon([UInt8], from: Endpoint)

    /// TLS has proved `peer`. `dial` names the own dial that led here, nil for an accepted one.
    case carrierOpened(CarrierID, peer: NodeID, dial: DialID?, remote: Endpoint)
    /// One whole frame, without its length.
    case carrierFrame(CarrierID, [UInt8])
    case carrierClosed(CarrierID, CarrierEnd)
    case dialFailed(DialID, DialFailure)

    /// TLS through a tunnel has proved `peer`; the carrier lives and ends like any other.
    case tunnelledCarrierOpened(CarrierID, peer: NodeID, TunnelID)
    /// A piece of the stream, of 1 ... `WireLimits.tunnelDataBytesMax` bytes: one for each `tunnelReady`.
    case tunnelSend(TunnelID, [UInt8])
    /// So many bytes of a `tunnelBytes` have reached TLS: said once for each, with its whole length.
    case tunnelTook(TunnelID, byteCount: Int)
    /// The shell's end of the tunnel is closed; nothing is said of it any more.
    case tunnelFinished(TunnelID)

    /// An encoded `VoicePayload` for one listener.
    case voice([UInt8], to: PeerSlot)
    /// What this node's jitter buffer says of a peer's stream; sent with the next control block.
    case receptionReport(ReceptionReport, of: PeerSlot)
    /// The own media clock as of `now`; control blocks extrapolate from it at 48 kHz.
    case mediaClock(SampleTime)
    case talking(Bool)

    case addressesChanged([InterfaceAddress])
    /// The process or the machine stood still for `gap` (stop, suspend).
    case resumed(gap: Interval)
    /// The counter that `MeshOutput.advanceInstance` asked for is on disk, or nothing can be written.
    case instanceAdvanced(Instance)
    case command(MeshCommand)
}

package enum MeshCommand: Hashable, Sendable {
    /// Says good-bye to everyone; afterwards the node only answers `nextOutput`.
    case leave
    case setChannels([ChannelID])
    case setProfile(name: SafeText, role: SafeText, colour: UInt32)
    case block(NodeID)
    case unblock(NodeID)
    /// The person's answer to an event `invitationAsked`.
    case answerInvitation(NodeID, isAccepted: Bool)
    /// Sends a probe now; an event `probeAnswered` follows when it is echoed.
    case probe(PeerSlot)
    case setInvitations(InvitationPolicy)
    /// Whether this node records what it hears: everybody is told.
    case setRecording(Bool)
}

package struct PeerHint: Hashable, Sendable {
    package enum Source: UInt8, CaseIterable, Sendable { case user, remembered, avahi, beacon, gossip }

    package var source: Source
    /// Who is said to be there; nil where only the address is known.
    package var node: NodeID?
    package var endpoints: [Endpoint]
    package init(source: Source, node: NodeID?, endpoints: [Endpoint]) {
        self.source = source
        self.node = node
        self.endpoints = endpoints
    }
}

/// How a carrier ended. None of it says that the peer is gone.
package enum CarrierEnd: UInt8, CaseIterable, Sendable {
    /// The peer closed the stream.
    case closed
    case reset
    /// Nothing acknowledged for the user time-out.
    case timedOut
    /// A frame above its limit, or the queue to the peer is full.
    case overflow
    /// The shell refused it (admission limits).
    case refused
}

package enum DialFailure: UInt8, CaseIterable, Sendable {
    case unreachable
    case refused
    case timedOut
    /// TLS failed: no certificate, wrong kind, wrong application protocol.
    case handshake
    /// Somebody else answers there: the address's fault, not the peer's.
    case otherIdentity
    /// The address is this node itself.
    case own
}
