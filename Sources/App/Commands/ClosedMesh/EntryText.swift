package import NodeRuntime
import Primitives

/// How the search of a newcomer ended, for people.
package struct EntryText {
    private let outcome: EntryOutcome
    private let next: OptionEcho
    private let seconds: Int

    /// The longest search that a person may ask for.
    static let secondsMax = 3_600

    /// - Parameters:
    ///   - next: the options for the next command.
    ///   - seconds: the longest search.
    package init(_ outcome: EntryOutcome, next: OptionEcho, seconds: Int) {
        self.outcome = outcome
        self.next = next
        self.seconds = seconds
    }

    /// Whether the node is in the mesh whose code was given, as far as it knows.
    package var isIn: Bool {
        switch outcome {
        case .entered: true
        case .alreadyMember(_, let hasCode): hasCode
        case .wrongCode, .wrongPairingCode, .noPairingWindow, .offLink, .noAnswer, .nobodyFound, .stopped,
            .stateFolderTaken, .cannotWrite, .noMemory:
            false
        }
    }

    /// What is known while the search goes on.
    /// - Parameter passed: the seconds since it began.
    package static func progress(_ progress: EntryProgress, after passed: Int) -> String {
        let found = progress.foundCount.counted("node")
        guard !progress.haveAllOtherCode else {
            let others = progress.otherCodeCount
            return "  wrong code? \(others.counted("node")) of a closed mesh \(others == 1 ? "has" : "have") another; "
                + "still looking, for \(passed) s now"
        }
        let known =
            switch (progress.foundCount, progress.otherCodeCount) {
            case (0, _): "no node of a closed mesh found yet"
            case (_, 0): "found \(found) of a closed mesh, no answer to this code yet"
            case (_, let others): "found \(found) of a closed mesh, \(others) with another code"
            }
        return "  still looking, for \(passed) s now: \(known)"
    }

    /// The end of a command that did not succeed.
    var end: CommandEnd { CommandEnd(status: .failed, message: lines.joined(separator: "\n")) }

    /// The warning for a member if its code file has another code than its mesh.
    package static func otherCode(_ file: String, than mesh: KeptMesh, next: OptionEcho) -> String {
        let enter = next.command("enter --replace --code-file \(OptionEcho.word(file))")
        return "\(Output.safe(file)) has another code than the closed mesh \(MeshAccess.shown(mesh.name)), in which "
            + "this node stays; to enter the mesh of that code: `\(enter)`"
    }

    /// The lines, in 80 columns. A command has a line of its own, however long its options are.
    package var lines: [String] {
        Columns.sentence(sentence, label: "") + (command.map { ["  \($0)"] } ?? [])
            + hints.flatMap { Columns.sentence($0, label: "  - ") }
    }

    private func wrong(_ code: String, _ count: Int) -> String {
        "wrong \(code): \(count.counted("node")) of a closed mesh on this network "
            + (count == 1 ? "has another one" : "have another one")
    }

    private var sentence: String {
        switch outcome {
        case .entered(let mesh, nil):
            "You are in the closed mesh \(MeshAccess.shown(mesh)). Start:"
        case .entered(let mesh, let node?):
            "You are in the closed mesh \(MeshAccess.shown(mesh)). The node that drew the digits must show your id, "
                + "\(node.short); else another one came in. Start:"
        case .alreadyMember(let mesh, true):
            "this node is in the closed mesh \(MeshAccess.shown(mesh)) already, and this is its code, unless a change "
                + "of the code has left it behind: then add --replace, and give the new code. Else start:"
        case .alreadyMember(let mesh, false):
            "this node is in the closed mesh \(MeshAccess.shown(mesh)) already. If a change of the code left it "
                + "behind, or if you mean another mesh, add --replace. Else start:"
        case .wrongCode(let count):
            wrong("code", count)
        case .wrongPairingCode(let count):
            wrong("pairing code", count)
        case .noPairingWindow(let count):
            "no pairing window is open for this node: \(count.counted("node")) of a closed mesh "
                + (count == 1 ? "has" : "have") + " refused it"
        case .offLink(let count):
            "\(count.counted("node")) " + (count == 1 ? "takes connections from its" : "take connections from their")
                + " own networks only, and none from here"
        case .stopped: "the search was stopped"
        case .noAnswer(let count):
            "\(count.counted("node")) of a closed mesh " + (count == 1 ? "is" : "are")
                + " here, and none has answered to this code in \(seconds) s"
        case .nobodyFound:
            "no node of a closed mesh was found in \(seconds) s"
        case .stateFolderTaken(let folder):
            "a node is running with the state folder \(Output.safe(folder)), or another command changes it. Stop the "
                + "node first:"
        case .cannotWrite(let why): "the secret of the mesh could not be kept: \(Output.safe(why))"
        case .noMemory: "a code needs 64 MiB of memory for a moment, and they are not there"
        }
    }

    /// The next command of the person.
    private var command: String? {
        switch outcome {
        case .entered, .alreadyMember: next.command("run")
        case .stateFolderTaken: next.verb("stop")
        case .wrongCode, .wrongPairingCode, .noPairingWindow, .offLink, .noAnswer, .nobodyFound, .stopped,
            .cannotWrite, .noMemory:
            nil
        }
    }

    private var hints: [String] {
        switch outcome {
        case .wrongCode:
            [
                "ask again for the words; case and marks do not matter, the words stay apart",
                "if yours is yet another mesh: a node of it must run, or be named with --peer ADDRESS:PORT",
            ]
        case .wrongPairingCode:
            [
                "look at the digits again; after three failures the window closes",
                "if they are right, another node answered: ask for a new window and its digits, `partyline code pair`",
            ]
        case .noPairingWindow:
            [
                "a member opens one for five minutes and one newcomer: `partyline code pair`",
                "it closes after three failures of any nodes: ask for a new one if yours was open",
                "the words of the mesh do not depend on it",
            ]
        case .offLink:
            [
                "start such a node with --reach and the network of this machine, such as 10.20.0.0/16, or with --peer "
                    + "and its address"
            ]
        case .noAnswer:
            [
                "look for longer: an answer may take half a minute, above all after a wrong code "
                    + "(--seconds \(min(2 * seconds, EntryText.secondsMax)))",
                "does a firewall block 7400 TCP? `partyline doctor` checks this machine",
            ]
        case .nobodyFound(let openCount):
            [
                "does a node of the mesh run (`partyline run`), on this network?",
                "does a firewall block 7400 TCP, 7400 UDP or 7399 UDP? `partyline doctor` checks this machine",
                "is the mesh behind a router? name one of its nodes: --peer ADDRESS:PORT; that node must let this "
                    + "machine in: `partyline run --reach ADDRESS/BITS`",
            ]
                + (openCount == 0
                    ? []
                    : [
                        "\(openCount.counted("node")) of an open mesh \(openCount == 1 ? "is" : "are") here, "
                            + "which need no code: `\(next.command("run"))`"
                    ])
        case .entered, .alreadyMember, .stopped, .stateFolderTaken, .cannotWrite, .noMemory: []
        }
    }
}
