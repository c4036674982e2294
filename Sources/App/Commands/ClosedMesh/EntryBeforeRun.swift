import Glibc
import NodeRuntime
import Primitives
import Synchronization

/// `partyline run --code-file`: a node that is in no closed mesh enters one before it starts. It looks without end,
/// since the box that it runs on may be switched on first.
struct EntryBeforeRun {
    private static let searchSeconds = 60

    private let options: RunOptions
    private let next: OptionEcho

    /// - Parameter next: the options for the next command.
    init(_ options: RunOptions, next: OptionEcho) {
        self.options = options
        self.next = next
    }

    /// Returns true when the node is in a closed mesh; at once if it was, or if the options name no file. Returns false
    /// if a person has stopped the search.
    /// - Throws: `MeshFileFault`; `ConfigurationError` for the file; `CommandEnd` if the state folder is in use, or the
    ///   secret cannot be kept.
    func run() async throws -> Bool {
        guard let (code, stopped) = try begun() else { return true }
        defer { stopped.close() }
        // No node reads its files again here, so the signal has no use, and must not end a box that waits for its mesh.
        // At a terminal it means that the terminal has gone. The node that starts afterwards takes the signal over.
        if isatty(STDIN_FILENO) == 0 { signal(SIGHUP, SIG_IGN) }
        let entry = MeshEntry(
            options: options, code: .mesh(code), within: .seconds(Int64(EntryBeforeRun.searchSeconds)),
            replacing: false)
        // A box may look for days, so its log has a line only where the outcome changes.
        let told = Mutex<EntryOutcome?>(nil)
        let outcome = try await entry.run(
            in: stopped,
            searchesOn: { outcome in
                let isNew = told.withLock { last in
                    defer { last = outcome }
                    return last != outcome
                }
                if isNew { Output.note("\(text(outcome).lines[0]); looking on") }
                return true
            })
        switch outcome {
        case .entered, .alreadyMember: return true
        case .stopped: return false
        case .wrongCode, .wrongPairingCode, .noPairingWindow, .offLink, .noAnswer, .nobodyFound, .stateFolderTaken,
            .cannotWrite, .noMemory:
            throw text(outcome).end
        }
    }

    private func text(_ outcome: EntryOutcome) -> EntryText {
        EntryText(outcome, next: next, seconds: EntryBeforeRun.searchSeconds)
    }

    /// The code that is needed, and the locked state folder; nil if none is. Apart from `run` for the reason that
    /// `EnterCommand` gives.
    @inline(never)
    private func begun() throws -> (TypedCode, StoppedNode)? {
        guard let file = options.codeFile else { return nil }
        let folder = options.stateDirectory
        let kept = try SlowFolder.watched(
            tell: { Output.note(Output.safe(SlowFolder.words(folder))) }, { try KeptMesh.read(stateOf: options) })
        if let mesh = kept {
            // A member needs no code, so it starts without the file, too.
            if let code = try? TypedCode.read(file: file, TypedCode.ofMesh), mesh.has(code) == false {
                Output.note(EntryText.otherCode(file, than: mesh, next: next))
            }
            return nil
        }
        let code = try CodeInput.code(of: file, TypedCode.ofMesh)
        let stopped: StoppedNode
        do throws(StoppedNodeError) {
            stopped = try StoppedNode(options)
        } catch {
            throw text(EntryOutcome(error)).end
        }
        Output.note("looking for the closed mesh of \(Output.safe(file)) ...")
        return (code, stopped)
    }
}
