// The frames of a stranger before HELLO, PROOF, JOIN, GRANT and MEMBER, under libFuzzer. It plays them against one end
// of a carrier. A member and a newcomer never admit it, and each end answers a frame with few directives.
//
// The first byte of the input chooses the end; each frame follows its length in two bytes, the higher one first.

import Mesh
import Primitives
import Trust
import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAdmission(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var bytes = UnsafeBufferPointer(start: start, count: count)[...]
    guard let choice = bytes.popFirst() else { return 0 }
    var end = AdmissionEnd(choice)
    while let high = bytes.popFirst(), let low = bytes.popFirst() {
        let frame = Array(bytes.prefix(Int(high) << 8 | Int(low)))
        bytes = bytes.dropFirst(frame.count)
        guard let message = try? CarrierMessage(parsing: frame, isBeforeHello: true) else { continue }
        precondition((try? CarrierMessage(parsing: message.encoded(), isBeforeHello: true)) == message)
        guard case .admission(let step) = message, end.admission.awaitsFrame else { continue }
        end.handle(.frame(step))
    }
    return 0
}

/// One end of a carrier, with slow work done at once.
private struct AdmissionEnd {
    private let sealing: TransparentSealing
    private var standing: MeshStanding
    private let isOpen: Bool
    /// Of the pairing window that is open; nil if none is.
    private let pairingKey: [UInt8]?
    private var directivesOfFrame = 0
    private(set) var admission: CarrierAdmission

    init(_ choice: UInt8) {
        let sealing = TransparentSealing(seed: 1)
        self.sealing = sealing
        let codeKey = [UInt8](repeating: 9, count: CodeSizes.codeKeyBytes)
        let secret = EpochSecret(number: 1, bytes: [UInt8](repeating: 3, count: EpochSecret.byteCount))
        let mesh = secret.map {
            ClosedMesh(
                id: MeshID(high: 1, low: 0), name: "crew", secrets: [$0],
                codeKey: choice & 8 == 0 ? codeKey : nil, with: sealing)
        }
        pairingKey = choice & 16 == 0 ? nil : [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)
        standing =
            switch (choice % 3, mesh) {
            case (0, _), (_, nil): .open
            case (1, .some(let mesh)): .member(mesh)
            case (_, .some): .newcomer(codeKey: codeKey, by: choice & 16 == 0 ? .mesh : .pairing)
            }
        isOpen = if case .open = standing { true } else { false }
        admission = CarrierAdmission(
            side: choice & 4 == 0 ? .dialler : .acceptor, own: sealing.nodeID,
            peer: TransparentSealing(seed: 2).nodeID, nonce: [UInt8](repeating: 1, count: 32),
            keys: standing.keys)
    }

    mutating func handle(_ input: AdmissionInput) {
        directivesOfFrame = if case .frame = input { 0 } else { directivesOfFrame }
        for directive in admission.handle(input, as: standing, pairingKey: pairingKey, with: sealing) {
            directivesOfFrame += 1
            precondition(directivesOfFrame <= 4, "one frame leads to \(directivesOfFrame) directives")
            switch directive {
            case .work(let task): handle(.worked(task.result(with: TransparentCode())))
            case .enter, .admit, .proved: precondition(isOpen, "a stranger is in")
            case .send, .refuse, .abandon: break
            }
        }
    }
}
