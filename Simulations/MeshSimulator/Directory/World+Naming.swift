package import Channels
import Mesh
package import Primitives
import Trust
import Wire

/// People who name channels, and the judgement of the directories.
extension World {
    /// Lets people create, delete, rename and join channels from now until `end`.
    package func nameChannels(_ rule: NamingRule, until end: Instant) {
        if people == nil { people = NamingPeople(rule, random: streams.naming) }
        people?.end = end
        schedule(.name, of: people)
    }

    /// One person acts.
    func actOnChannels() {
        guard let people else { return }
        let act = people.drawAct(nodes: nodes.indices.filter { $0 != options.duplicateOf && isActing($0) })
        if let act { perform(act, people) }
        schedule(.name, of: people)
    }

    func isActing(_ node: Int) -> Bool {
        isRunning(node) && (options.duplicateOf == nil || node < nodeCount - 1)
    }

    private func perform(_ act: NamingPeople.Act, _ people: NamingPeople) {
        guard nodes[act.node].core != nil else { return }
        hash.add(node: act.node, kind: .command, at: now, digest: act.digest)
        transcript?.recordDetail("\(nodes[act.node].name): \(act.command)", at: now)
        if case .join(let names) = act.command {
            takePart(in: names.map { channelID($0, at: act.node) }, at: act.node, people)
            return
        }
        // A person who is refused hears why, and nothing has happened.
        if let command = act.directoryCommand { _ = order(command, of: act.node) }
    }

    /// Lets the person of a node create, delete or rename a channel; returns the node's refusal, nil if there is none.
    package func order(_ command: DirectoryCommand, of node: Int) -> DirectoryRefusal? {
        guard let core = nodes[node].core else { return nil }
        let before = core.directory
        var refusal: DirectoryRefusal?
        do throws(DirectoryRefusal) {
            try core.perform(command, now: localNow(node))
            note(command, by: node, after: before, core.directory)
        } catch {
            refusal = error
        }
        takeOutputs(of: node)
        scheduleWake(of: node)
        return refusal
    }

    /// Makes a node listen to these of the named channels, and to no other named ones. It does not join a deleted
    /// channel.
    private func takePart(in wanted: [ChannelID], at node: Int, _ people: NamingPeople) {
        for channel in people.names.map({ channelID($0, at: node) }) {
            guard let core = nodes[node].core else { return }
            let isIn = core.list[channel] != nil
            if isIn, !wanted.contains(channel) { change(.part(channel), of: node) }
            if !isIn, wanted.contains(channel), core.directory[channel]?.isLive != false {
                change(.join(ListeningEntry(channel)), of: node)
            }
        }
    }

    private func note(
        _ command: DirectoryCommand, by node: Int, after before: DirectoryTable, _ table: DirectoryTable
    ) {
        guard let people else { return }
        func noteDeletion(_ name: ChannelName) {
            let channel = channelID(name, at: node)
            guard let entry = before[channel] else { return }
            let isCreator = entry.creator == publicKeys[node]
            people.truth.note(
                isCreator ? .deletedByCreator : .deletedByAnother, channel, by: node,
                birthEpoch: entry.signed.birth.epoch)
        }
        func noteCreation(_ name: ChannelName) {
            let channel = channelID(name, at: node)
            people.truth.note(.created, channel, by: node, birthEpoch: table[channel]?.signed.birth.epoch ?? 0)
        }
        switch command {
        case .create(let name): noteCreation(name)
        case .delete(let name): noteDeletion(name)
        case .rename(let name, let newName):
            noteDeletion(name)
            noteCreation(newName)
        }
    }

    /// The id of the channel of this name in the mesh of a node.
    package func channelID(_ name: ChannelName, at node: Int) -> ChannelID {
        let sealing = options.sealing(nodes[node].identity, 0)
        let mesh = MeshID(ofOpenMesh: nodes[node].meshName ?? options.mesh, sealing: sealing)
        return ChannelID(of: name, in: mesh, sealing: sealing)
    }

    /// The directory of a node; empty while the node is off.
    package func directory(of node: Int) -> DirectoryTable { nodes[node].core?.directory ?? DirectoryTable() }

    /// Returns the first two of these nodes between which a connection can pass, but whose link has no carrier that
    /// delivers; nil if there are none. Such a pair has no open connection, or the newest open one has waited to send
    /// bytes again since before the network was mended, or one of the two nodes does not use an open connection yet.
    package func firstPairWithoutCarrier(among core: [Int], mendedAt: Instant) -> (a: Int, b: Int)? {
        for (index, a) in core.enumerated() {
            for b in core[..<index] where UnreachabilityProof.carries(a, b, in: self) {
                let delivers = carriers.delivers(between: a, and: b, since: mendedAt)
                if !delivers || !hasCarrier(a, of: b) || !hasCarrier(b, of: a) { return (b, a) }
            }
        }
        return nil
    }

    /// Whether the link of a node with a peer has a carrier, as the node shows it.
    private func hasCarrier(_ node: Int, of peer: Int) -> Bool {
        let id = network.hosts[peer].node
        return status(of: node)?.peers.first { $0.node == id }?.hasCarrier == true
    }

    /// Returns what is wrong with the channel directories of these nodes, which have had time to become equal; nil if
    /// nothing is wrong.
    package func directoryViolation(among core: [Int]) -> Violation? {
        guard let people, let first = core.first, let expected = nodes[first].core?.directory else { return nil }
        func violation(_ text: String, _ checker: String) -> Violation {
            Violation(kind: .liveness, checker: checker, text: text, at: now)
        }
        for node in core {
            guard let table = nodes[node].core?.directory else { continue }
            for entry in table.entries {
                // A hostile member may create, change and delete what it likes under its own key.
                if isForged(entry) { continue }
                let creator = publicKeys.firstIndex(of: entry.creator)
                if let fault = people.truth.fault(in: entry, createdBy: creator, core: core) {
                    return violation("\(nodes[node].name) \(fault)", "ChannelsAreTrue")
                }
            }
            for channel in nodes[node].core?.list.listened ?? [] {
                guard let entry = table[channel], case .deleted(.some) = entry.signed.state.form,
                    entry.isDeletedByCreator, !isForged(entry),
                    // A node follows the renamings of one creator only: of the first creator of the channel that it has
                    // known. The entry here may name another creator, whose renaming the node need not follow.
                    nodes[node].core?.followsRenaming(of: channel) == true,
                    // The renaming may have arrived without the new channel, before the node that made both was lost.
                    nodes[node].core?.successor(of: channel) != nil
                        || publicKeys.firstIndex(of: entry.signed.state.editor).map(core.contains) == true
                else { continue }
                return violation(
                    "\(nodes[node].name) listens to \(entry.name), which was renamed", "ListenersFollowRenamings")
            }
            for name in people.names {
                let channel = channelID(name, at: node)
                if people.truth.mustExist(channel, core: core), !hasForgers, table[channel]?.isLive != true {
                    return violation("\(nodes[node].name) lacks \(name), which nobody deleted", "ChannelsAreTrue")
                }
            }
            guard table.entries == expected.entries else {
                return violation(
                    "\(nodes[node].name) and \(nodes[first].name) differ: \(table.entries.count) and "
                        + "\(expected.entries.count) entries", "DirectoriesConverge")
            }
        }
        return nil
    }
}
