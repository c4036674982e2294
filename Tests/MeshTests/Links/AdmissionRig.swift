import Mesh
import Primitives
import Trust
import Wire

/// Both ends of one carrier, before HELLO. Frames arrive in their order, and slow work is done at once.
final class AdmissionRig {
    final class End {
        let side: CarrierSide
        let sealing: TransparentSealing
        var standing: MeshStanding
        var admission: CarrierAdmission
        var sent: [AdmissionMessage] = []
        var outcome: Outcome = .pending
        var hasEntered = false
        var provedAgain: UInt32?
        var ends: CarrierEnds? { admission.ends }

        init(_ side: CarrierSide, _ standing: MeshStanding, own: UInt64, peer: UInt64) {
            (self.side, self.standing) = (side, standing)
            sealing = TransparentSealing(seed: own)
            admission = CarrierAdmission(
                side: side, own: sealing.nodeID, peer: TransparentSealing(seed: peer).nodeID,
                nonce: [UInt8](repeating: UInt8(truncatingIfNeeded: own), count: 32), keys: standing.keys)
        }

        func start() { sent.append(.proof(admission.proof(as: standing, with: sealing))) }

        func handle(_ input: AdmissionInput) {
            for directive in admission.handle(input, as: standing, pairingKey: nil, with: sealing) {
                switch directive {
                case .send(let message): sent.append(message)
                case .work(let task): handle(.worked(task.result(with: TransparentCode())))
                case .enter(let mesh): (standing, hasEntered) = (.member(mesh), true)
                case .admit: outcome = .admitted
                case .proved(let keys): provedAgain = keys.number
                case .refuse(let reason): outcome = .refused(reason)
                case .abandon: outcome = .abandoned
                }
            }
        }
    }

    enum Outcome: Hashable {
        case pending, admitted, abandoned
        case refused(RefusalReason)
    }

    let dialler: End
    let acceptor: End

    init(_ dialler: MeshStanding, _ acceptor: MeshStanding) {
        self.dialler = End(.dialler, dialler, own: 1, peer: 2)
        self.acceptor = End(.acceptor, acceptor, own: 2, peer: 1)
    }

    /// - Parameter change: what the network makes of each frame, with the side that has sent it.
    func run(_ change: (AdmissionMessage, CarrierSide) -> AdmissionMessage = { message, _ in message }) {
        dialler.start()
        acceptor.start()
        var (fromDialler, fromAcceptor) = (0, 0)
        while fromDialler < dialler.sent.count || fromAcceptor < acceptor.sent.count {
            if fromDialler < dialler.sent.count {
                fromDialler += 1
                deliver(change(dialler.sent[fromDialler - 1], .dialler), to: acceptor)
            }
            if fromAcceptor < acceptor.sent.count {
                fromAcceptor += 1
                deliver(change(acceptor.sent[fromAcceptor - 1], .acceptor), to: dialler)
            }
        }
    }

    /// A side that has refused or abandoned the carrier has closed it.
    private func deliver(_ message: AdmissionMessage, to end: End) {
        if end.outcome == .pending { end.handle(.frame(message)) }
    }

    var outcomes: [Outcome] { [dialler.outcome, acceptor.outcome] }
}
