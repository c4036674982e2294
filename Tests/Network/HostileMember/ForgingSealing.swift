import Primitives
import TestKit
import Trust
import Wire

/// The sealing of a member that writes its control blocks itself, and adds one to each datagram of voice.
///
/// The machines of the member do not notice the forgery: each echo of the victim is changed to name their own latest
/// block.
final class ForgingSealing: SealingDecorator {
    /// Writes the blocks. Before `begin`, nothing is changed.
    final class Pen {
        private var alter: ((inout ControlBlock) -> Void)?
        /// The latest block that the machines made.
        private var latest: ControlBlock?
        private var sequence: UInt32 = 0

        /// From now on each block is changed by `alter`, and numbered without a gap.
        func begin(_ alter: @escaping (inout ControlBlock) -> Void) {
            self.alter = alter
            sequence = latest?.sequence ?? 0
        }

        /// The body to seal in the place of one that the machines made; nil to seal that one.
        fileprivate func rewritten(_ bytes: [UInt8]) -> [UInt8]? {
            guard var body = try? DatagramBody(parsing: bytes) else { return nil }
            if let control = body.control { latest = control }
            guard let alter, var block = latest, body.control != nil || !body.voice.isEmpty else { return nil }
            sequence &+= 1
            block.sequence = sequence
            alter(&block)
            body.control = block
            return (body.voice.isEmpty ? body : DatagramBody(control: block)).encoded()
        }

        /// A body of the victim, with an echo that the machines know.
        fileprivate func answered(_ bytes: [UInt8]) -> [UInt8] {
            guard alter != nil, let latest, var body = try? DatagramBody(parsing: bytes), var block = body.control,
                block.echo != nil
            else { return bytes }
            block.echo = latest.sequence
            block.echoDelayMicroseconds = 0
            body.control = block
            return body.encoded()
        }
    }

    let pen = Pen()
    let inner: any Sealing

    init(_ honest: any Sealing) { inner = honest }

    func makeAEAD(baseKey: [UInt8], keyID: UInt32) -> any MediaAEAD {
        ForgingAEAD(inner.makeAEAD(baseKey: baseKey, keyID: keyID), pen)
    }
}

private final class ForgingAEAD: MediaAEAD {
    private let honest: any MediaAEAD
    private let pen: ForgingSealing.Pen

    init(_ honest: any MediaAEAD, _ pen: ForgingSealing.Pen) { (self.honest, self.pen) = (honest, pen) }

    func seal(bodyOf datagram: inout [UInt8], from start: Int, counter: UInt64, additionalData: [UInt8]) {
        if let forged = pen.rewritten(Array(datagram[start...])) {
            datagram.removeSubrange(start...)
            datagram += forged
        }
        honest.seal(bodyOf: &datagram, from: start, counter: counter, additionalData: additionalData)
    }

    func open(_ ciphertextAndTag: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]) -> [UInt8]? {
        honest.open(ciphertextAndTag, counter: counter, additionalData: additionalData).map(pen.answered)
    }
}
