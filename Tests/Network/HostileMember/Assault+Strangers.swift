import NIOCore
import Primitives
import SystemClock

/// What strangers do: connections that never become a link.
extension Assault {
    /// Keeps as many connections open as were asked for.
    func fillWithStrangers() {
        while strangers.count < options.connections { connect() }
    }

    /// All connections within the time, each with all that a node takes of one.
    func bomb() {
        guard let beganAt else { return }
        let share = (Instant.monotonicNow() - beganAt).milliseconds * Int64(options.connections)
        let due = min(options.connections, 1 + Int(share / Int64(options.seconds * 1_000)))
        while startedCount < due { connect() }
    }

    /// Opens one more connection, in the name of each identity in turn.
    func connect() {
        if identities.count < options.connections, let new = try? MemberIdentity() { identities.append(new) }
        guard !identities.isEmpty else { return }
        let number = startedCount
        let identity = identities[number % identities.count]
        startedCount += 1
        let box = CarrierBox()
        let carrier = RawCarrier(to: options.victim, from: source(of: number), as: identity, on: loop) { step in
            guard let carrier = box.carrier else { return }
            self.note(step, of: carrier, number, identity)
        }
        box.carrier = carrier
        strangers.append(carrier)
    }

    /// The address from which a stranger connects. Honest nodes connect from the address of the victim: so many
    /// strangers at that address would leave them no place.
    private func source(of number: Int) -> IPAddress? {
        kind == .idleTLS || kind == .refusers ? Connections.source(number, to: options.victim) : nil
    }

    private func note(_ step: RawCarrier.Step, of carrier: RawCarrier, _ number: Int, _ identity: MemberIdentity) {
        switch step {
        case .opened:
            openedCount += 1
            greet(on: carrier, number, identity)
        case .frame: break
        case .closed:
            doneBytes += carrier.sentBytes
            strangers.removeAll { $0 === carrier }
        }
    }

    /// What a stranger says first.
    private func greet(on carrier: RawCarrier, _ number: Int, _ identity: MemberIdentity) {
        if kind == .idleTLS { return }
        carrier.send(FloodFrames.proof())
        if kind == .recordsBomb { carrier.write(FloodFrames.recordsBomb) }
        guard let stranger = try? ClaimedNode(seed: identity.seed) else { return }
        switch kind {
        case .recordsAfterHello:
            carrier.send(stranger.hello(to: options.mesh))
            carrier.write(FloodFrames.forgedRecords)
        case .refusers:
            carrier.send(stranger.hello(to: options.mesh))
            carrier.send(FloodFrames.refusal(number))
            // The node keeps the carrier of one that is undecided.
            carrier.close()
        case .names:
            let names = HostileNames(text: HostileNames.texts[number % HostileNames.texts.count])
            carrier.send(names.hello(of: stranger, to: options.mesh))
        default: break
        }
    }
}

/// Names a connection to what is told of it, which needs it before it is made.
private final class CarrierBox: @unchecked Sendable {
    var carrier: RawCarrier?
}
