import Channels
import Mesh
package import Primitives
import Trust
import Wire

/// People who call each other, and what their nodes tell them.
extension World {
    /// Lets people call and answer from now until `end`.
    package func makeCalls(until end: Instant) {
        // Two nodes of one identity are one caller for all others.
        guard options.duplicateOf == nil else { return }
        if callers == nil {
            callers = CallingPeople(random: streams.calling)
            safety.add(CallsAreShownOnce(nodeCount: nodeCount))
        }
        callers?.end = end
        schedule(.call, of: callers)
    }

    /// One person acts.
    func actOnCalls() {
        guard let callers else { return }
        if let act = callers.drawAct(nodes: nodes.indices.filter(isRunning), of: nodeCount) {
            hash.add(node: act.node, kind: .command, at: now, digest: act.digest)
            if let command = command(of: act) { perform(command, at: act.node) }
        }
        schedule(.call, of: callers)
    }

    private func command(of act: CallingPeople.Act) -> CallCommand? {
        func call(_ target: CallOrder.Target) -> CallCommand {
            .call(
                CallOrder(
                    target, text: SafeText("cue \(act.digest % 100)"), expiresMilliseconds: act.expiresMilliseconds,
                    isUrgent: act.isUrgent))
        }
        guard let core = nodes[act.node].core else { return nil }
        return switch act.command {
        case .callPeer(let peer): call(.peer(network.hosts[peer].node))
        case .callChannel: call(.channel(channel(of: act.node) ?? SimLimits.channel))
        case .callAll: call(.all())
        case .answer(let isAccepted):
            core.calls.incoming.first(where: \.isOpen).map { .answer($0.key, isAccepted: isAccepted) }
        case .withdraw: core.calls.outgoing.last(where: \.isOpen).map { .withdraw($0.id) }
        case .setDoNotDisturb(let isOn): .setDoNotDisturb(isOn)
        case .askToClose(let peer):
            .askToClose(network.hosts[peer].node, on: channel(of: act.node) ?? SimLimits.channel)
        }
    }

    /// Carries out the command of a person. Returns whether it has an effect.
    @discardableResult
    func perform(_ command: CallCommand, at node: Int) -> Bool {
        guard let core = nodes[node].core else { return false }
        do throws(CallRefusal) {
            let id = try core.perform(command, now: localNow(node))
            report(command, at: node, made: id, core)
        } catch {
            return false
        }
        takeOutputs(of: node)
        scheduleWake(of: node)
        return true
    }

    private func report(_ command: CallCommand, at node: Int, made id: CallID?, _ core: NodeBox) {
        switch command {
        case .call(let order):
            guard let id, let call = core.calls.outgoing.last else { return }
            let receivers = call.receivers.compactMap { number(of: $0.node) }
            observe(.callMade(caller: node, id, receivers: receivers, isUrgent: order.isUrgent))
        case .answer(let key, let isAccepted):
            if let caller = number(of: key.caller) {
                observe(.callDecided(by: node, caller: caller, key.id, isAccepted: isAccepted))
            }
        case .setDoNotDisturb(let isOn): observe(.quieted(node: node, isOn: isOn))
        case .withdraw, .askToClose: break
        }
    }

    /// The calls of a node that starts: none.
    func calls(of node: Int, _ mesh: MeshConfiguration, _ sealing: any Sealing) -> Calls {
        var random = streams.calls(ofNode: node, life: network.hosts[node].life)
        return Calls(of: sealing.nodeID, grants: CallGrants(), listened: mesh.channels, seed: random.next())
    }

    func take(_ event: CallEvent, of node: Int) {
        switch event {
        case .called(let call):
            note(node, .call, call.key.id.number)
            if call.state == .shown {
                observe(.callShown(observer: node, caller: number(of: call.key.caller), call.key.id))
            }
        case .answered(let id, let peer, let answer):
            note(node, .call, id.number ^ UInt64(answer.rawValue))
            observe(.callAnswered(caller: node, by: number(of: peer), id, answer))
        case .withdrawn, .missed, .expired, .closeAsked, .closeOrdered, .closeAnswered:
            note(node, .call, 0)
        }
    }

    /// Returns a violation if one of these nodes still has an open call. Call this when the time of every call is over.
    package func openCallViolation(among core: [Int]) -> Violation? {
        guard callers != nil else { return nil }
        for node in core {
            guard let calls = nodes[node].core?.calls else { continue }
            let open = calls.incoming.count(where: \.isOpen) + calls.outgoing.count
            guard 0 < open else { continue }
            return Violation(
                kind: .liveness, checker: "CallsEnd", text: "\(nodes[node].name) has \(open) open calls", at: now)
        }
        return nil
    }
}
