import NodeRuntime
import Primitives

/// `partyline run --code-file`: a node that is in no closed mesh enters one before it starts. It looks without end,
/// since the box that it runs on may be switched on first.
struct EntryBeforeRun {
    private static let searchSeconds = 60
    private static let pauseAfterWrongCode = Duration.seconds(30)

    private let options: RunOptions
    private let next: OptionEcho

    /// - Parameter next: the options for the next command.
    init(_ options: RunOptions, next: OptionEcho) {
        self.options = options
        self.next = next
    }

    /// Returns when the node is in a closed mesh; at once if it was, or if the options name no file.
    /// - Throws: `MeshFileFault`; `ConfigurationError` for the file; `CommandEnd` if the secret cannot be kept.
    func run() async throws {
        guard let code = try code() else { return }
        while true {
            let entry = MeshEntry(
                options: options, code: code, within: .seconds(Int64(EntryBeforeRun.searchSeconds)), replacing: false)
            let outcome = try await entry.run()
            let text = EntryText(outcome, next: next, seconds: EntryBeforeRun.searchSeconds)
            switch outcome {
            case .entered, .alreadyMember: return
            case .wrongCode:
                Output.note("\(text.lines[0]); looking on")
                try await Task.sleep(for: EntryBeforeRun.pauseAfterWrongCode)
            case .nobodyFound: Output.note("\(text.lines[0]); looking on")
            case .stateFolderTaken, .cannotWrite, .noMemory: throw text.end
            }
        }
    }

    /// The code that is needed; nil if none is. Apart from `run` for the reason that `EnterCommand` gives.
    @inline(never)
    private func code() throws -> MeshCode? {
        guard let file = options.codeFile, try KeptMesh.read(stateOf: options) == nil else { return nil }
        Output.note("looking for the closed mesh of \(file) ...")
        return try MeshCode(file: file, MeshCode.typed)
    }
}
