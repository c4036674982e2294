package import Primitives
import Wire

/// A receiver shows a call at most once in a life, and no other node shows it. The caller hears of an acceptance only
/// if the receiver's person accepted, of a refusal only if that person declined or had do-not-disturb on, and nothing
/// more of that receiver afterwards. Do-not-disturb declines no urgent call.
package struct CallsAreShownOnce: SafetyChecker {
    private struct Call {
        let receivers: [Int]
        let isUrgent: Bool
        let madeAt: Instant
        /// The nodes whose person has accepted the call, and those whose person has declined it.
        var accepted: [Int] = []
        var declined: [Int] = []
        /// The nodes whose final answer the caller has heard.
        var answered: [Int] = []
    }

    private struct Key: Hashable {
        var caller: Int
        var id: CallID
    }

    private var calls: [Key: Call] = [:]
    /// By node: what its present life has shown.
    private var shown: [Set<Key>]
    /// By node: when its last do-not-disturb ended; `.distantFuture` while it is on, nil if it never was.
    private var quietUntil: [Instant?]

    package init(nodeCount: Int) {
        shown = Array(repeating: [], count: nodeCount)
        quietUntil = Array(repeating: nil, count: nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            shown[node] = []
            quietUntil[node] = quietUntil[node].map { min($0, instant) }
            return nil
        case .callMade(let caller, let id, let receivers, let isUrgent):
            calls[Key(caller: caller, id: id)] = Call(receivers: receivers, isUrgent: isUrgent, madeAt: instant)
            return nil
        case .quieted(let node, let isOn):
            quietUntil[node] = isOn ? Instant.distantFuture : quietUntil[node].map { min($0, instant) }
            return nil
        case .callDecided(let node, let caller, let id, let isAccepted):
            if isAccepted {
                calls[Key(caller: caller, id: id)]?.accepted.append(node)
            } else {
                calls[Key(caller: caller, id: id)]?.declined.append(node)
            }
            return nil
        case .callShown(let observer, let caller?, let id): return show(Key(caller: caller, id: id), at: observer)
        case .callShown(let observer, nil, _): return "node \(observer) shows a call of nobody"
        case .callAnswered(let caller, let peer?, let id, let answer):
            return take(answer, of: peer, Key(caller: caller, id: id))
        case .callAnswered(let caller, nil, _, _): return "node \(caller) hears an answer of nobody"
        default: return nil
        }
    }

    private mutating func show(_ key: Key, at observer: Int) -> String? {
        guard let call = calls[key] else { return "node \(observer) shows a call that \(key.caller) did not make" }
        guard call.receivers.contains(observer) else { return "node \(observer) shows a call that is not for it" }
        let isNew = shown[observer].insert(key).inserted
        return isNew ? nil : "node \(observer) shows a call of \(key.caller) twice"
    }

    private mutating func take(_ answer: CallAnswer, of peer: Int, _ key: Key) -> String? {
        guard let call = calls[key], call.receivers.contains(peer) else {
            return "node \(key.caller) hears \(peer) answer a call that was not for it"
        }
        guard !call.answered.contains(peer) else { return "node \(key.caller) hears two answers of \(peer)" }
        if answer != .shown { calls[key]?.answered.append(peer) }
        guard answer != .accepted || call.accepted.contains(peer) else {
            return "node \(key.caller) hears that \(peer) accepts, whose person did not"
        }
        guard answer != .declined || call.declined.contains(peer) || mayDecline(call, by: peer) else {
            return "node \(key.caller) hears that \(peer) declines, whose person did not"
        }
        return nil
    }

    /// Whether do-not-disturb was on at a node at any time since the call was made, and applies to the call.
    private func mayDecline(_ call: Call, by peer: Int) -> Bool {
        !call.isUrgent && quietUntil[peer].map { call.madeAt <= $0 } ?? false
    }
}
