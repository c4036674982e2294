import Mesh
import Primitives
import Wire

/// A member that refuses links, and one that does its duty as a neighbour only in part.
extension World {
    /// Returns a refusal in place of an INVITE or an ACCEPT: by chance in half of the cases, and always for a stubborn
    /// member. Other messages stay as they are.
    func refused(_ message: CarrierMessage, _ member: HostileMember) -> CarrierMessage {
        switch message {
        case .invite where member.isStubborn: return .refuse(reason(member), retryAfterMilliseconds: 0)
        case .accept where member.isStubborn: return .decline(reason(member))
        case .invite where member.random.chance(permille: 500):
            return .refuse(reason(member), retryAfterMilliseconds: UInt32(member.random.below(30_000)))
        case .accept where member.random.chance(permille: 500):
            return .decline(reason(member))
        default:
            return message
        }
    }

    private func reason(_ member: HostileMember) -> RefusalReason {
        let reason = member.pick(RefusalReason.allCases) ?? .duplicateIdentity
        return member.random.chance(permille: 500) ? .duplicateIdentity : reason
    }

    /// Advertises perfect links, so that others choose this neighbour.
    func embellished(_ message: CarrierMessage, of node: Int) -> CarrierMessage {
        guard case .linkStates(let entries, let generation) = message else { return message }
        return .linkStates(perfectLinks(entries, of: node), generation: generation)
    }

    /// Forwards the first pieces of a tunnel, enough for the handshakes, and then only signs of life.
    func stalled(_ message: CarrierMessage, _ member: HostileMember) -> CarrierMessage? {
        guard member.cause == .carrierFrame, case .tunnel(let frame) = message, case .data = frame.step
        else { return message }
        member.pieces[frame.number, default: 0] += 1
        guard SimLimits.stalledPiecesMax < member.pieces[frame.number, default: 0] else { return message }
        return .tunnel(TunnelFrame(number: frame.number, step: .credit(0)))
    }
}
