import Mesh
import Primitives
import Trust
import Wire

extension MeshEvent {
    /// The event's part of the trace hash: its kind, the peer that it is about, and its numbers.
    var traceDigest: UInt64 {
        var hash = TraceHash(seed: 0)
        switch self {
        case .peerUp(let slot, let peer, let instance, _): hash.add(1, slot, peer, instance.number)
        case .pathChanged(let slot, let peer, let path, _): hash.add(2, slot, peer, UInt64(path.rawValue))
        case .peerVerifying(let slot, let peer): hash.add(3, slot, peer, 0)
        case .peerDown(let slot, let peer, let instance, let reason):
            hash.add(4, slot, peer, instance.number << 8 | UInt64(reason.rawValue))
        case .peerChannels(let slot, let peer, let channels): hash.add(5, slot, peer, UInt64(channels.count))
        case .peerProfile(let peer, let profile):
            hash.add(6, nil, peer, TraceHash.digest(profile.name.string) ^ UInt64(profile.colour))
        case .peerTalking(let slot, let peer, let isTalking): hash.add(7, slot, peer, isTalking ? 1 : 0)
        case .ghostDropped(let peer, let instance): hash.add(8, nil, peer, instance.number)
        case .holeRepaired(let peer): hash.add(9, nil, peer, 0)
        case .quarantined(let peer, let until): hash.add(10, nil, peer, UInt64(bitPattern: until.nanoseconds))
        case .duplicateIdentity(let peer): hash.add(11, nil, peer, 0)
        case .refused(let peer, let reason): hash.add(12, nil, peer, UInt64(reason.rawValue))
        case .admissionAsked(let peer, _): hash.add(13, nil, peer, 0)
        case .probeAnswered(let slot, let peer, let rtt):
            hash.add(14, slot, peer, UInt64(bitPattern: rtt.nanoseconds))
        case .cliqueComplete(let count): hash.add(15, nil, nil, UInt64(count))
        case .peerAdvanced(let slot, let peer, let instance): hash.add(17, slot, peer, instance.number)
        case .ownInstanceAdvanced(let instance): hash.add(18, nil, nil, instance.number)
        case .peerSuspected(let peer): hash.add(19, nil, peer, 0)
        case .peerDead(let peer, let instance): hash.add(20, nil, peer, instance.number)
        case .peerFlapping(let peer, let isFlapping): hash.add(21, nil, peer, isFlapping ? 1 : 0)
        case .peerRecording(let slot, let peer, let isRecording): hash.add(23, slot, peer, isRecording ? 1 : 0)
        case .wordsCompared(let peer, let words, let isOwn):
            hash.add(28, nil, peer, words.indexes.reduce(isOwn ? 1 : 0) { $0 << 11 | UInt64($1) })
        case .cliqueBroken: hash.add(16, nil, nil, 0)
        case .codeChanged(let epoch, let maker, _, let left, _):
            hash.add(24, nil, maker, UInt64(epoch) << 32 | UInt64(left.count))
        case .leftBehind(let peer): hash.add(25, nil, peer, 0)
        case .pairing(.failed(let peer, let left)): hash.add(26, nil, peer, UInt64(left))
        case .pairing(.closed(.admitted(let peer))): hash.add(27, nil, peer, 0)
        case .pairing(.closed(.failures)): hash.add(27, nil, nil, 1)
        case .pairing(.closed(.time)): hash.add(27, nil, nil, 2)
        case .pairing(.closed(.person)): hash.add(27, nil, nil, 3)
        case .pairing(.closed(.codeChanged)): hash.add(27, nil, nil, 4)
        case .pairing(.closed(.replaced)): hash.add(27, nil, nil, 5)
        }
        return hash.value
    }
}

extension TraceHash {
    fileprivate mutating func add(_ kind: UInt64, _ slot: PeerSlot?, _ peer: NodeID?, _ figure: UInt64) {
        add(kind << 32 | UInt64(truncatingIfNeeded: slot?.index ?? -1) & 0xFFFF)
        if let peer { add(peer.words.0) }
        add(figure)
    }
}
