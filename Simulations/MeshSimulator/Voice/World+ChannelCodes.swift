import Channels
import Mesh
import Node
package import Primitives
import Trust

/// Channels with a code at the simulated nodes. A code is a number.
extension World {
    /// Gives a running node the code of a channel, and lets it listen and talk there. The state file keeps both.
    package func join(_ channel: ChannelID, code: UInt8, of node: Int) {
        guard nodes[node].core != nil else { return }
        nodes[node].codesOnDisk.removeAll { $0.channel == channel }
        nodes[node].codesOnDisk.append((channel, code))
        nodes[node].codesChangedAt = now
        observe(.holdsCode(node: node, channel, code: code))
        nodes[node].core?.handle(.hold(Self.coded(channel, code), isNews: true), now: localNow(node))
        takeOutputs(of: node)
        scheduleWake(of: node)
        change(.join(ListeningEntry(channel)), of: node)
    }

    /// Parts a channel, and forgets its code.
    package func partCoded(_ channel: ChannelID, of node: Int) {
        nodes[node].codesOnDisk.removeAll { $0.channel == channel }
        nodes[node].codesChangedAt = now
        observe(.holdsCode(node: node, channel, code: nil))
        change(.part(channel), of: node)
        nodes[node].core?.handle(.drop(channel), now: localNow(node))
        takeOutputs(of: node)
        scheduleWake(of: node)
    }

    /// The codes of a node that starts.
    func codes(of node: Int, _ sealing: any Sealing) -> ChannelCodes {
        ChannelCodes(nodes[node].codesOnDisk.map { Self.coded($0.channel, $0.code) }, sealing: sealing)
    }

    /// Tells the checkers of the codes that a node has kept since its last life.
    func observeCodes(of node: Int) {
        for (channel, code) in nodes[node].codesOnDisk {
            observe(.holdsCode(node: node, channel, code: code))
            observe(.listens(node: node, channel, isOn: true))
        }
    }

    /// Whether two nodes have the same code of a channel, or the channel has none.
    func shareCode(_ channel: ChannelID, _ a: Int, _ b: Int) -> Bool {
        guard channel.hasCode else { return true }
        let codes = [a, b].compactMap { node in nodes[node].codesOnDisk.first { $0.channel == channel }?.code }
        return codes.count == 2 && codes[0] == codes[1]
    }

    /// The process does the slow work of proofs, which takes a while.
    func take(_ codeNote: ChannelCodeNote, of node: Int) {
        switch codeNote {
        case .work(let task, let work):
            note(node, .codeTask, task.number)
            queue.schedule(
                .channelCodeWorked(
                    node: node, life: network.hosts[node].life, task, work.result(with: TransparentCode())),
                at: now + SimLimits.codeTaskTime)
        case .event(let event):
            note(node, .channelCode, 0)
            if case .nobodyHas(let channel) = event { nodes[node].channelsNobodyHas.append(channel) }
        }
    }

    func finishCodeTask(_ task: ChannelTaskID, _ result: CodeResult, of node: Int, life: UInt32) {
        guard network.hosts[node].life == life else { return }
        guard !isHoldingBack(node) else {
            // The result waits until the process runs again.
            return queue.schedule(
                .channelCodeWorked(node: node, life: life, task, result), at: now + SimLimits.codeTaskTime)
        }
        counts.events += 1
        note(node, .codeProved, task.number)
        nodes[node].core?.handle(.worked(task, result), now: localNow(node))
        takeOutputs(of: node)
        scheduleWake(of: node)
    }

    private static func coded(_ channel: ChannelID, _ code: UInt8) -> CodedChannel {
        CodedChannel(channel, codeKey: [UInt8](repeating: code, count: CodeSizes.codeKeyBytes))
    }
}

extension SpeechRule {
    /// Returns the channel with a code that has this number.
    static func codedChannel(_ number: Int) -> ChannelID {
        ChannelID(
            high: SimLimits.channel.high, low: SimLimits.channel.low + UInt64(number), hasCode: true)
    }
}
