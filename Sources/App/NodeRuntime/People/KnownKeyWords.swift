import Foundation
import Primitives
package import StateStore

/// How known keys, and the peers that have them, are shown to people.
package enum KnownKeyWords {
    /// The mark before a name that is known under another key. It stands first, so that no long name hides it.
    package static let suspectMark = "?"

    /// A name for a list.
    package static func listed(_ name: String, isSuspect: Bool) -> String {
        isSuspect ? suspectMark + name : name
    }

    /// A sentence about a peer whose name is known under another key, or looks like the id of one.
    static func warning(_ node: NodeID, named name: SafeText, rival: KnownKey) -> String {
        let cure = "`partyline verify \(node.short)`, then trust or block it"
        guard !ShortIDForm.resembles(name, rival.node) else {
            let rivalName = rival.name.isEmpty ? "another node" : "\(rival.name)"
            return "\(name) (\(node.short)) has a name that looks like the id of \(rivalName) (\(rival.node.short)): "
                + cure
        }
        let rivalName = rival.owns(NameLook.of(name)) ? rival.ownName : rival.name
        let known =
            rivalName == name ? "the \(rivalName) known here" : "\(rivalName), which looks like it and is known here"
        return "\(name) (\(node.short)) has another key than \(known) (\(rival.node.short), last seen "
            + "\(day(UInt64(clamping: rival.lastSeenUnixSeconds)))): \(cure)"
    }

    /// A sentence about a peer whose name looks like that of this node.
    static func namesake(_ node: NodeID, named name: SafeText) -> String {
        "peer \(name) (\(node.short)) has the name of this node, or one that looks like it; `partyline nick` changes "
            + "the name here"
    }

    /// A day of the calendar in UTC, for example `2026-11-24`.
    package static func day(_ unixSeconds: UInt64) -> String {
        Date(timeIntervalSince1970: Double(unixSeconds)).formatted(.iso8601.year().month().day())
    }
}

extension KeyTrust {
    /// The word in documents.
    package var word: String {
        switch self {
        case .met: "met"
        case .trusted: "trusted"
        case .verified: "verified"
        case .denied: "denied"
        }
    }
}
