import Mesh
import Primitives
import Wire

// The parts of inputs that enter the trace hash. All of them are numbers, so that no rename changes a hash.

extension MeshInput {
    /// The digest of an input from the tunnels of a process: its kind, the tunnel, carrier or dial that it is about,
    /// and its bytes.
    var tunnelDigest: UInt64 {
        var hash = TraceHash(seed: 0)
        switch self {
        case .tunnelSend(let tunnel, let bytes): hash.add(1, tunnel.number, TraceHash.digest(bytes))
        case .tunnelTook(let tunnel, let byteCount): hash.add(2, tunnel.number, UInt64(byteCount))
        case .tunnelFinished(let tunnel): hash.add(3, tunnel.number)
        case .tunnelledCarrierOpened(let carrier, let peer, let tunnel):
            hash.add(4, carrier.number, peer.words.0, tunnel.number)
        case .carrierFrame(let carrier, let bytes): hash.add(5, carrier.number, TraceHash.digest(bytes))
        case .carrierClosed(let carrier, let end): hash.add(6, carrier.number, UInt64(end.rawValue))
        case .dialFailed(let dial, let failure): hash.add(7, dial.number, UInt64(failure.rawValue))
        default: illegal("\(self)", in: "a tunnel's words")
        }
        return hash.value
    }
}

extension MeshCommand {
    var traceDigest: UInt64 {
        var hash = TraceHash(seed: 0)
        switch self {
        case .leave: hash.add(1)
        case .setChannels(let channels, let talks):
            hash.add([2] + (channels + talks).flatMap { [$0.high, $0.low] })
        case .setProfile(let profile):
            hash.add(
                3, TraceHash.digest(profile.name.string), TraceHash.digest(profile.role.string), UInt64(profile.colour))
        case .block(let peer): hash.add(4, peer.words.0)
        case .unblock(let peer): hash.add(5, peer.words.0)
        case .decideAdmission(let peer, let isAccepted): hash.add(6, peer.words.0, isAccepted ? 1 : 0)
        case .probe(let slot): hash.add(7, UInt64(slot.index))
        case .setAdmissionPolicy(.open): hash.add(8, 0)
        case .setAdmissionPolicy(.ask(let known, let denied)):
            hash.add([8, 1] + known.map(\.words.0) + denied.map(\.words.0))
        case .setAdmissionPolicy(.allowList(let allowed)): hash.add([8, 2] + allowed.map(\.words.0))
        case .compareWords(let slot): hash.add(14, UInt64(slot.index))
        case .setRecording(let isRecording): hash.add(9, isRecording ? 1 : 0)
        case .setGrants(let grants): hash.add([15] + [grants.privately, grants.toAll].flatMap(\.traceWords))
        case .setBeacons(let areSent): hash.add(10, areSent ? 1 : 0)
        case .openPairing(let codeKey): hash.add([12] + codeKey.map { UInt64($0) })
        case .closePairing: hash.add(13)
        case .changeCode(let leaving, let codeKey):
            hash.add([11, UInt64(leaving.count)] + leaving.map(\.words.0) + (codeKey ?? []).map { UInt64($0) })
        }
        return hash.value
    }
}

extension Grant {
    fileprivate var traceWords: [UInt64] {
        switch self {
        case .anyone: [0]
        case .nobody: [1]
        case .nodes(let nodes): [2, UInt64(nodes.count)] + nodes.map(\.words.0).sorted()
        }
    }
}

extension PeerHint {
    var traceDigest: UInt64 {
        var hash = TraceHash(seed: 0)
        hash.add(UInt64(source.rawValue), node.words.0)
        for endpoint in endpoints {
            hash.add(endpoint.address.high, endpoint.address.low, UInt64(endpoint.port), UInt64(endpoint.scope))
        }
        return hash.value
    }
}

extension TraceHash {
    fileprivate mutating func add(_ words: UInt64...) { add(words) }

    fileprivate mutating func add(_ words: [UInt64]) {
        for word in words { add(word) }
    }
}
