import ArgumentParser
package import MeshSimulator

/// How `meshsim` ends.
package enum Outcome: Int32, Sendable, CaseIterable {
    case pass = 0
    case safety = 1
    case usage = 2
    case files = 3
    case liveness = 4
    case notRepeatable = 5
    case transcript = 6

    package init(_ verdict: Verdict) {
        switch verdict {
        case .pass: self = .pass
        case .safety: self = .safety
        case .liveness: self = .liveness
        }
    }

    /// As it stands in the JSON document.
    var word: String {
        switch self {
        case .pass: "pass"
        case .safety: "safety"
        case .liveness: "liveness"
        case .notRepeatable: "not_repeatable"
        case .transcript: "transcript"
        case .usage, .files: "error"
        }
    }

    /// Of two ends of one work the one that it has as a whole. What does not repeat itself comes first:
    /// nothing else that was seen can be relied on then.
    package func worse(_ other: Outcome) -> Outcome {
        let order: [Outcome] = [.notRepeatable, .safety, .liveness, .transcript, .files, .usage, .pass]
        return order.first { $0 == self || $0 == other } ?? other
    }

    /// Ends the command with this code, unless it is the good one.
    func end() throws {
        if self != .pass { throw ExitCode(rawValue) }
    }
}

/// A file that could not be read or written, in words.
package struct FileTrouble: Error {
    package let text: String
}

/// To standard error, so that standard output stays the answer.
func complain(_ text: String) { ProgressLine.shared.say(text) }
