import Trust

extension MeshCounter {
    init(_ error: OpenError) {
        switch error {
        case .malformed: self = .datagramsMalformed
        case .unknownKey: self = .datagramsUnknownKey
        case .replayed: self = .datagramsReplayed
        case .forged: self = .datagramsForged
        case .expiredKey: self = .datagramsExpiredKey
        }
    }
}
