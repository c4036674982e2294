package import Channels
package import Primitives
import Wire

/// What people did with channels in a run, as the world saw it: the truth by which the directories are judged.
package struct NamingTruth {
    /// One accepted command about a channel.
    package struct Act {
        package enum Kind { case created, deletedByCreator, deletedByAnother }

        var kind: Kind
        var node: Int
        /// The birth epoch of the entry that the act made.
        var birthEpoch: UInt16
    }

    private var acts: [ChannelID: [Act]] = [:]
    private(set) var actCount = 0

    package init() {}

    /// Notes a command that a node has accepted.
    package mutating func note(_ kind: Act.Kind, _ channel: ChannelID, by node: Int, birthEpoch: UInt16) {
        acts[channel, default: []].append(Act(kind: kind, node: node, birthEpoch: birthEpoch))
        actCount += 1
    }

    /// Returns what is wrong with one entry that a node has; nil if nothing is wrong.
    /// - Parameters:
    ///   - creator: the node whose key the entry names as the creator's; nil if no node has that key.
    ///   - core: the mended nodes. A deletion at one of them counts, because its disk has kept it.
    package func fault(in entry: DirectoryEntry, createdBy creator: Int?, core: [Int]) -> String? {
        let acts = acts[entry.channel] ?? []
        guard let creator, acts.contains(where: { $0.kind == .created && $0.node == creator }) else {
            return "names a creator of \(entry.name) that did not create it"
        }
        let isDeleted = acts.contains { act in
            act.kind == .deletedByCreator && core.contains(act.node) && entry.signed.birth.epoch <= act.birthEpoch
        }
        if entry.isLive, isDeleted { return "has \(entry.name), which its creator deleted" }
        return nil
    }

    /// Whether a channel must exist: a node of the core created it, and nobody deleted or renamed it.
    package func mustExist(_ channel: ChannelID, core: [Int]) -> Bool {
        guard let acts = acts[channel] else { return false }
        return acts.allSatisfy { $0.kind == .created } && acts.contains { core.contains($0.node) }
    }
}
