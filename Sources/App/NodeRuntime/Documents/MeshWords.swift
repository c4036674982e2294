import Mesh
import Wire

// The texts for enum cases of the mesh in documents. `word` is for programs and must not change. `words` are part of a
// sentence for people.

/// The texts of a peer's `last_failure`: three for which people are told a remedy, and all of them for people.
package enum FailureText {
    /// The peer takes connections from its own networks only.
    package static let offLink = LinkFailure.refused(.offLink).description
    /// The peer is in a mesh of another name, or one of the two nodes is in a closed mesh.
    package static let otherMesh = LinkFailure.refused(.otherMesh).description

    /// The peer does not let this node in.
    package static let notAllowed = LinkFailure.refused(.notAllowed).description

    /// The person here does not let the peer in.
    package static let keptOut = "kept out here"

    /// The plain words for a `last_failure`, in at most `briefColumns` columns. Their subject is the peer. Nil for a
    /// text of another version.
    package static func brief(_ lastFailure: String) -> String? { briefs[lastFailure] }

    /// The widest of the plain words.
    package static let briefColumns = 21

    /// Every `last_failure` that a node may send.
    package static var all: [String] { briefs.keys.sorted() }

    private static let briefs = Dictionary(
        failures.map { ($0.description, $0.brief) } + [(keptOut, "is not let in here")],
        uniquingKeysWith: { first, _ in first })

    private static let failures: [LinkFailure] =
        [.noAddress, .noProof, .noHello, .noAnswer, .silent] + DialFailure.allCases.map(LinkFailure.dial)
        + CarrierEnd.allCases.map(LinkFailure.carrierClosed) + RefusalReason.allCases.map(LinkFailure.refused)
}

extension PathKind {
    var word: String {
        switch self {
        case .direct: "direct"
        case .relay: "relay"
        case .carrier: "carrier"
        }
    }

    var words: String {
        switch self {
        case .direct: "directly"
        case .relay: "through a neighbour"
        case .carrier: "through TCP"
        }
    }
}

extension DownReason {
    var word: String {
        switch self {
        case .left: "left"
        case .silent: "silent"
        case .newerInstance: "newer_instance"
        case .replaced: "replaced"
        case .blocked: "blocked"
        case .declined: "declined"
        case .localLeave: "local_leave"
        case .keysExpired: "keys_expired"
        case .noProof: "no_proof"
        }
    }

    var words: String {
        switch self {
        case .left: "said good-bye"
        case .silent: "silent, and no probe was answered"
        case .newerInstance: "it has started anew"
        case .replaced: "the link was made anew"
        case .blocked: "kept out here"
        case .declined: "it declined"
        case .localLeave: "this node leaves"
        case .keysExpired: "its keys ran out"
        case .noProof: "the code of the mesh was changed"
        }
    }
}

extension RefusalReason {
    var word: String {
        switch self {
        case .otherMesh: "other_mesh"
        case .version: "version"
        case .staleInstance: "stale_instance"
        case .duplicateIdentity: "duplicate_identity"
        case .full: "full"
        case .undecided: "undecided"
        case .notAllowed: "not_allowed"
        case .blocked: "blocked"
        case .coolingDown: "cooling_down"
        case .alreadyLinked: "already_linked"
        case .offLink: "off_link"
        case .noProof: "no_proof"
        case .wrongCode: "wrong_code"
        }
    }

    var words: String {
        switch self {
        case .otherMesh: "it belongs to another mesh (a closed one may have the same name)"
        case .version: "it speaks another version of the protocol"
        case .staleInstance: "a newer start of this node has been seen"
        case .duplicateIdentity: "another node uses the same identity"
        case .full: "no room for another peer"
        case .undecided: "its person is asked whether to let this node in"
        // The reason does not tell whether a person there has decided.
        case .notAllowed: "it lets in trusted keys only, or its person has denied this node"
        case .blocked: "blocked there"
        case .coolingDown: "it recovers from failures"
        case .alreadyLinked: "the two are linked already"
        case .offLink: "it takes connections from its own networks only"
        // Both nodes have this reason, so it does not tell which of them stays in the mesh.
        case .noProof: "it has another code: a change of the code has left it or this node behind"
        case .wrongCode: "the codes of the mesh differ"
        }
    }

    /// The same for a row of a table, where the peer is the subject.
    var brief: String {
        switch self {
        case .otherMesh: "is not in your mesh"
        case .version: "has another version"
        case .staleInstance: "saw your newer start"
        case .duplicateIdentity: "sees your key twice"
        case .full: "has no room"
        case .undecided: "asks its person"
        case .notAllowed: "does not let you in"
        case .blocked: "has blocked you"
        case .coolingDown: "waits after failures"
        case .alreadyLinked: "has a link already"
        case .offLink: "refuses your network"
        case .noProof: "has another code"
        case .wrongCode: "has another code"
        }
    }
}

extension PeerPresence {
    var word: String {
        switch self {
        case .unmet: "unmet"
        case .present: "present"
        case .suspected: "suspected"
        case .dead: "dead"
        case .left: "left"
        }
    }
}

extension LinkFailure {
    var words: String {
        switch self {
        case .dial(.unreachable): "no way leads to its address"
        case .dial(.refused): "nothing listens at its address"
        case .dial(.timedOut): "its address does not answer"
        case .dial(.handshake): "what answers at its address is no node"
        case .dial(.otherIdentity): "another node answers at its address"
        case .dial(.own): "its address leads to this node itself"
        case .noAddress: "no address of it is known"
        case .noProof: "it takes the connection and does not say of which mesh it is"
        case .noHello: "it takes the connection and says nothing"
        case .noAnswer: "it does not answer"
        case .carrierClosed: "the connection broke off"
        case .refused(let reason): reason.words
        case .silent: "it has gone silent"
        }
    }

    /// The same for a row of a table, where the peer is the subject.
    var brief: String {
        switch self {
        case .dial(.unreachable): "cannot be reached"
        case .dial(.refused): "nothing listens there"
        case .dial(.timedOut): "address is silent"
        case .dial(.handshake): "no node answers there"
        case .dial(.otherIdentity): "another node is there"
        case .dial(.own): "address is your own"
        case .noAddress: "has no known address"
        case .noProof: "does not say its mesh"
        case .noHello: "says nothing"
        case .noAnswer: "does not answer"
        case .carrierClosed: "connection broke off"
        case .refused(let reason): reason.brief
        case .silent: "has gone silent"
        }
    }
}
