package import Primitives
package import Trust
package import Wire

/// Everything that can happen to a mesh node; `MeshNode.handle` is its only entrance.
package enum MeshInput: Sendable {
    /// Nothing happened except that time passed.
    case deadline
    /// A UDP datagram and its source.
    case datagram([UInt8], from: Endpoint)
    /// A hint from Avahi, or from what this node remembers, that somebody may be at these addresses.
    case discovered(PeerHint)
    /// Avahi has found the service of a member of a closed mesh at these addresses.
    case serviceFound(SealedService, at: [Endpoint])
    /// A multicast beacon.
    case beacon([UInt8], from: Endpoint)

    /// TLS has proved the identity of `peer`. `dial` is the dial of this node that opened the carrier; nil if the peer
    /// dialled.
    case carrierOpened(CarrierID, peer: NodeID, dial: DialID?, remote: Endpoint)
    /// One whole frame, without its length prefix.
    case carrierFrame(CarrierID, [UInt8])
    case carrierClosed(CarrierID, CarrierEnd)
    case dialFailed(DialID, DialFailure)

    /// TLS through a tunnel has proved the identity of `peer`. The carrier lives and ends like any other.
    case tunnelledCarrierOpened(CarrierID, peer: NodeID, TunnelID)
    /// A piece of the TLS stream, 1 ... `WireLimits.tunnelDataBytesMax` bytes. The shell hands over one piece for
    /// each `tunnelReady`.
    case tunnelSend(TunnelID, [UInt8])
    /// TLS has taken the bytes of one `tunnelBytes`. The shell reports each `tunnelBytes` once, with its whole
    /// length.
    case tunnelTook(TunnelID, byteCount: Int)
    /// The shell has closed its end of the tunnel and sends nothing more about it.
    case tunnelFinished(TunnelID)

    /// A voice payload for one listener, `VoicePayloadHeader` and blocks, to be sealed and sent.
    case voice([UInt8], to: PeerSlot)
    /// What this node's jitter buffer reports on a peer's stream. Each control block to that peer carries the newest
    /// report.
    case receptionReport(ReceptionReport, of: PeerSlot)
    /// This node's media clock at the time of this input. Control blocks extrapolate from it at 48 kHz.
    case mediaClock(SampleTime)
    /// A frame about a replicated table, for one peer.
    case table(TableMessage, to: PeerSlot)
    /// The digest of a replicated table, for one peer. It replaces an earlier digest of that table that has not left
    /// yet. It leaves with the next control block, which is due at once if `isUrgent`.
    case tableDigest(TableDigest, to: PeerSlot, isUrgent: Bool)
    /// A frame about a call, or about a request to close a microphone, for one peer. It is dropped if the peer is not
    /// linked, has no carrier now, or has not proved the code of the channel that the frame names.
    case call(CallMessage, to: PeerSlot)
    /// A step of the proof of a channel's code, for one peer. It is dropped if the peer is not linked or has no carrier
    /// now.
    case channelJoin(ChannelJoin, to: PeerSlot)
    /// All tags by which this node and a linked peer name channels with a code; they replace earlier ones. This node
    /// tells the peer nothing of a channel with a code that has no tag here.
    case channelTags([ChannelTags], of: PeerSlot)
    /// To whom this node shows that it talks, from now on.
    case talking(ShownTalk)
    /// The channels on which this node talks now; none while it is silent. Control blocks name to each neighbour those
    /// of them that this node has advertised to that neighbour.
    case tally([ChannelID])

    case addressesChanged([InterfaceAddress])
    /// The process was stopped or the machine was suspended, for `gap`. In the part `slept` of it the machine was
    /// asleep, and the clock of this node stood still.
    case resumed(gap: Interval, slept: Interval = .zero)
    /// The shell has answered `MeshOutput.advanceInstance`: this instance is on disk now, or the shell could not write
    /// it.
    case instanceAdvanced(Instance)
    /// The shell has run the task of `MeshOutput.proveCode`.
    case codeProved(CarrierID, CodeResult)
    /// The shell has answered `MeshOutput.storeMesh`: the mesh in this epoch is on disk now, or could not be written.
    case meshStored(epoch: UInt32, isDurable: Bool)
    case command(MeshCommand)
}

package enum MeshCommand: Hashable, Sendable {
    /// Says good-bye to every peer. Afterwards the node ignores inputs and only hands out its outputs.
    case leave
    /// The channels to which this node listens, and those on which it may talk and to which it does not listen.
    case setChannels([ChannelID], talks: [ChannelID] = [])
    case setProfile(NodeProfile)
    case block(NodeID)
    case unblock(NodeID)
    /// The person's answer to an event `admissionAsked`.
    case decideAdmission(NodeID, isAccepted: Bool)
    /// Sends a probe now; the event `probeAnswered` follows on its echo.
    case probe(PeerSlot)
    case setAdmissionPolicy(AdmissionPolicy)
    /// Begins a comparison of words with a peer; the event `wordsCompared` follows if the peer takes part.
    case compareWords(PeerSlot)
    /// Whether this node records what it hears; every linked peer is informed.
    case setRecording(Bool)
    /// The peers whose private talk and talk to all this node plays. Each linked peer for which that changes is
    /// informed.
    case setGrants(TalkGrants)
    /// Whether this node sends beacons. Without them it still dials and is dialled.
    case setBeacons(Bool)
    /// Makes the next epoch of this closed mesh. The known members stay, as many as an epoch entry can name, except the
    /// nodes `leaving`. `codeKey` is the key of the new code; nil if nobody can enter by a code.
    case changeCode(leaving: [NodeID], codeKey: [UInt8]?)
    /// Opens a pairing window of this closed mesh for the code with this key, in place of one that is open. The node
    /// must be a member of a closed mesh.
    case openPairing(codeKey: [UInt8])
    case closePairing
}

package struct PeerHint: Hashable, Sendable {
    /// The better source comes first: `AddressBook` keeps the lowest raw value of an address. `gossip` stands
    /// for a record of the node, also for one in its own beacon or HELLO.
    package enum Source: UInt8, CaseIterable, Sendable { case user, remembered, avahi, beacon, gossip }

    package var source: Source
    /// The node that is said to be at `endpoints`.
    package var node: NodeID
    package var endpoints: [Endpoint]
    package init(source: Source, node: NodeID, endpoints: [Endpoint]) {
        self.source = source
        self.node = node
        self.endpoints = endpoints
    }
}

/// How a carrier ended. No case proves that the peer is gone.
package enum CarrierEnd: UInt8, CaseIterable, Sendable {
    /// The peer closed the stream.
    case closed
    case reset
    /// The peer acknowledged nothing for the TCP user timeout.
    case timedOut
    /// A frame exceeded its limit, or the queue to the peer is full.
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
    /// Another node answered at the address. The address is wrong, and the wanted peer is not to blame.
    case otherIdentity
    /// The address leads to this node itself.
    case own
}
