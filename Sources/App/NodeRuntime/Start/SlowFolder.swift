import Dispatch

/// Tells of a state folder that does not answer, while a start waits for it: a network drive whose server is gone, or a
/// frozen file system. Nothing ends such a wait but the folder itself.
package enum SlowFolder {
    /// The longest wait that is not told. A disk that was at rest needs some seconds.
    package static let secondsMax = 3.0

    /// What a person is told.
    package static func words(_ folder: String) -> String {
        "the state folder \(folder) does not answer; the start waits for it"
    }

    /// Runs `body`. If it has not returned in time, calls `tell` once on a thread of its own, and waits on.
    package static func watched<Value, Failure: Error>(
        afterSeconds seconds: Double = secondsMax, tell: @escaping @Sendable () -> Void,
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let telling = DispatchWorkItem { tell() }
        DispatchQueue(label: "partyline.start-watch").asyncAfter(deadline: .now() + seconds, execute: telling)
        defer { telling.cancel() }
        return try body()
    }
}
