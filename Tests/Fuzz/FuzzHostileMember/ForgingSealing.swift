import TestKit
import Trust

/// The sealing of a hostile member: it seals other bodies than those that its node made.
final class ForgingSealing: SealingDecorator {
    /// Bodies to seal instead of the next ones.
    final class Hand {
        var forged: [[UInt8]] = []
        /// The latest bodies that the node made.
        var made: [[UInt8]] = []
    }

    let hand = Hand()
    let inner: any Sealing

    init(_ honest: any Sealing) { inner = honest }

    func makeAEAD(baseKey: [UInt8], keyID: UInt32) -> any MediaAEAD {
        ForgingAEAD(inner.makeAEAD(baseKey: baseKey, keyID: keyID), hand)
    }
}

private final class ForgingAEAD: MediaAEAD {
    private let honest: any MediaAEAD
    private let hand: ForgingSealing.Hand

    init(_ honest: any MediaAEAD, _ hand: ForgingSealing.Hand) { (self.honest, self.hand) = (honest, hand) }

    func seal(bodyOf datagram: inout [UInt8], from start: Int, counter: UInt64, additionalData: [UInt8]) {
        hand.made.append(Array(datagram[start...]))
        if HostileMember.tapeMax < hand.made.count { hand.made.removeFirst() }
        if !hand.forged.isEmpty {
            datagram.removeSubrange(start...)
            datagram += hand.forged.removeFirst()
        }
        honest.seal(bodyOf: &datagram, from: start, counter: counter, additionalData: additionalData)
    }

    func open(_ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]) -> [UInt8]? {
        honest.open(ciphertextAndTag, counter: counter, additionalData: additionalData)
    }
}
