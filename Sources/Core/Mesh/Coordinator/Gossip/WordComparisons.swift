import Primitives
import Trust
import Wire

/// Comparisons of words between the person here and the person at a peer. The peer is linked, or one of the two persons
/// has to decide about the other's node. `Trust/WordComparison.swift` shows the course.
extension MeshNode {
    /// Nothing happens if the peer has no carrier, or has gone.
    mutating func compareWords(_ slot: PeerSlot, now: Instant) {
        guard slot.index < links.indices.count, let carrier = comparisonCarrier(of: slot.index) else { return }
        if links[slot.index].comparison.joinsPeersRun(now: now) { return }
        countUnopened(slot.index)
        let nonce = sealing.randomBytes(count: WireSizes.nonceBytes)
        let commitment = links[slot.index].comparison.begin(wordPair(slot.index), nonce: nonce, now: now)
        effects.send(.words(commitment), on: carrier)
    }

    mutating func receiveWords(_ step: WordStep, on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        guard links[index].state.isLinked || links[index].state.awaitsDecision else {
            return effects.count(.framesUnexpected)
        }
        if case .commit = step, !links[index].admitComparison(now: now) {
            return effects.count(.comparisonsOverRate)
        }
        if case .commit = step { countUnopened(index) }
        let nonce = sealing.randomBytes(count: WireSizes.nonceBytes)
        let peer = links[index].node
        switch links[index].comparison.receive(step, wordPair(index), nonce: nonce, now: now) {
        case .answers(let answer): effects.send(.words(answer), on: carrier.id)
        case .opens(let opening, let words):
            effects.send(.words(opening), on: carrier.id)
            effects.report(.wordsCompared(peer, words, isOwn: true))
        case .agreed(let words): effects.report(.wordsCompared(peer, words, isOwn: false))
        case .yields: break
        case .isBroken: effects.count(.comparisonsBroken)
        case .isUnexpected: effects.count(.framesUnexpected)
        }
    }

    /// Counts the present comparison if the peer began it and has not opened its nonce. Called when the next comparison
    /// begins. A node in the middle may break off each comparison whose words do not suit it.
    private mutating func countUnopened(_ index: Int) {
        if links[index].comparison.awaitsOpening { effects.count(.comparisonsUnopened) }
    }

    /// The carrier of the session; before there is one, the carrier on which a person's decision is awaited.
    private func comparisonCarrier(of index: Int) -> CarrierID? {
        if let carrier = links[index].session?.carrier, links[index].state.isLinked { return carrier }
        guard links[index].state.awaitsDecision else { return nil }
        return links.carriers.entries(of: links[index].slot).last { $0.greeting != nil }?.id
    }

    private func wordPair(_ index: Int) -> WordPair {
        WordPair(in: configuration.meshID(with: sealing), own: node, peer: links[index].node, with: sealing)
    }
}
