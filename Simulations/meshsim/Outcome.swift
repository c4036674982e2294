import ArgumentParser
package import MeshSimulator

/// The result with which `meshsim` ends.
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

    /// The word in the JSON document.
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

    /// Returns the worse of two results, which is the result of the whole work. A run that cannot be repeated is the
    /// worst, because then no other result is reliable.
    package func worse(_ other: Outcome) -> Outcome {
        let order: [Outcome] = [.notRepeatable, .safety, .liveness, .transcript, .files, .usage, .pass]
        return order.first { $0 == self || $0 == other } ?? other
    }

    /// Ends the command with this code, unless it is `pass`.
    func end() throws {
        if self != .pass { throw ExitCode(rawValue) }
    }
}

/// Describes why a file could not be read or written.
package struct FileTrouble: Error {
    package let text: String
}

/// Prints to standard error, so that standard output has the answer alone.
func complain(_ text: String) { ProgressLine.shared.say(text) }
