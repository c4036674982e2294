import CLinux
import ControlPlane
import Foundation
import NodeRuntime
import Primitives
import Synchronization
import SystemClock

/// Reads keys and shows the live line, for a node that runs in a terminal.
///
/// It controls the node through the control socket, as any other client, so the node has only one interface for
/// commands. Runs on a thread of its own.
final class RunConsole: Sendable {
    private let options: RunOptions
    private let isStopped = Atomic(false)

    /// Starts the console; returns nil if standard input or output is not a terminal.
    static func start(_ options: RunOptions) -> RunConsole? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
        guard linux_terminal_read_keys(STDIN_FILENO) == 0 else { return nil }
        let console = RunConsole(options)
        Thread.detachNewThread { console.loop() }
        return console
    }

    private init(_ options: RunOptions) { self.options = options }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        linux_terminal_restore()
        print("\r\u{1B}[K", terminator: "")
        fflush(nil)
    }

    private static let refreshMilliseconds: Int32 = 250
    /// A held key repeats thirty times a second. The line is drawn less often.
    private static let refreshPauseMin = Interval.milliseconds(100)

    private func loop() {
        var client: ControlClient?
        var keys = ConsoleKeys(options.terminalKeys)
        var pending: [ConsoleKeys.Act] = []
        var shownAt = Instant.zero
        /// The call in the live line.
        var call: String?
        while !isStopped.load(ordering: .relaxed) {
            let due = keys.dueAt.map { ($0 - .monotonicNow()).milliseconds + 1 } ?? .max
            let timeout = min(Int32(clamping: max(0, due)), RunConsole.refreshMilliseconds)
            let bytes = nextBytes(timeoutMilliseconds: timeout)
            pending += keys.read(bytes, at: .monotonicNow())
            // The node opens its socket shortly after the start, and may end at any time.
            if client == nil { client = try? ControlClient.reaching(options) }
            guard let connected = client else {
                pending = ConsoleKeys.endings(in: pending)
                continue
            }
            do {
                while let act = pending.first {
                    try perform(act, on: call, connected)
                    pending.removeFirst()
                }
                guard RunConsole.refreshPauseMin <= Instant.monotonicNow() - shownAt else { continue }
                shownAt = .monotonicNow()
                let status = try connected.ask(StatusRequest(), timeoutSeconds: 1)
                call = status.node.calls.last?.id
                // A reload may have changed them.
                keys.bind(try connected.ask(KeysRequest(), timeoutSeconds: 1).terminalKeys)
                show(LiveLine.text(status, columns: Int(linux_terminal_columns(STDOUT_FILENO))))
            } catch {
                client = nil
                // The node may have carried out the first act. Only an ending may be sent twice.
                pending = ConsoleKeys.endings(in: pending)
            }
        }
    }

    /// - Parameter call: the call to answer; nil if none is shown.
    private func perform(
        _ act: ConsoleKeys.Act, on call: String?, _ client: ControlClient
    ) throws(ControlClientError) {
        do throws(ControlClientError) {
            switch act {
            case .answer:
                guard let call else { return }
                try client.ask(CallAnswerRequest(call: call, accepted: true), timeoutSeconds: 1)
            case .talk(let order, let key): try client.ask(TalkRequest(order, key: key), timeoutSeconds: 1)
            case .stop: try client.ask(StopRequest(), timeoutSeconds: 2)
            }
        } catch {
            // A node that still starts refuses to stop, and is asked again.
            if case .stop = act { throw error }
            // The call may have ended meanwhile, or a reload has removed the key.
            guard case .refused = error else { throw error }
        }
    }

    /// Waits for keys; returns no bytes if none was pressed in time.
    private func nextBytes(timeoutMilliseconds: Int32) -> ArraySlice<UInt8> {
        var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, timeoutMilliseconds) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard 0 < count else {
            // The terminal was closed. To poll it again would use the processor without end.
            isStopped.store(true, ordering: .relaxed)
            return []
        }
        return bytes[..<count]
    }

    private func show(_ line: String) {
        guard !isStopped.load(ordering: .relaxed) else { return }
        print("\r\(line)\u{1B}[K", terminator: "")
        fflush(nil)
    }
}
