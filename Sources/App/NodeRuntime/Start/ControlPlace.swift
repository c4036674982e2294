import ControlPlane
import Glibc
import StateStore

/// The control server of a node where it could be started: at the path of the options, or else elsewhere.
struct ControlPlace {
    let server: ControlServer
    let path: String
    /// Why the socket is not where the options want it; empty if it is there.
    let warnings: [String]
    /// The folder that was made for the socket, and goes with it.
    private let folder: String?

    /// Starts the server. A path that the person has not named is no more than a wish: if there can be no socket, for
    /// example because the state folder cannot be written, the server starts in a folder of its own.
    ///
    /// - Parameter tells: is called when the socket file is lost, and when it is there again.
    /// - Throws: the `ControlSocketError` of the path in the options, if it was named or another node listens there, or
    ///   if no other place can be had.
    static func open(
        _ options: RunOptions, tells: @escaping @Sendable (ControlSocketChange) -> Void,
        handler: @escaping ControlServer.Handler
    ) async throws(ControlSocketError) -> ControlPlace {
        let refusal: ControlSocketError
        do {
            let server = try await started(at: options.controlPath, tells, handler)
            return ControlPlace(server: server, path: options.controlPath, warnings: [], folder: nil)
        } catch {
            switch error {
            case .taken, .notASocket: throw error
            case .pathTooLong, .system: refusal = error
            }
        }
        options.rescue?.removeAbandoned()
        guard let rescue = options.rescue, let folder = rescue.make() else { throw refusal }
        let path = rescue.socket(of: options.name, in: folder)
        do {
            let server = try await started(at: path, tells, handler)
            return ControlPlace(
                server: server, path: path, warnings: ["the control socket is \(path): \(refusal)"], folder: folder)
        } catch {
            rmdir(folder)
            throw refusal
        }
    }

    /// Ends the server, and removes the folder that was made for it.
    func close() async {
        await server.stop()
        if let folder { rmdir(folder) }
    }

    private static func started(
        at path: String, _ tells: @escaping @Sendable (ControlSocketChange) -> Void,
        _ handler: @escaping ControlServer.Handler
    ) async throws(ControlSocketError) -> ControlServer {
        let server = ControlServer(path: path, handler: handler)
        do {
            try await server.start(tells: tells)
        } catch {
            await server.stop()
            throw error
        }
        return server
    }
}

extension RescueFolders {
    /// Removes the folders of nodes that were killed. They would stay until the next start of the machine.
    fileprivate func removeAbandoned() {
        for socket in sockets(of: nil) {
            do throws(ControlSocketError) {
                try ControlServer.removeStale(at: socket)
            } catch {
                // A node listens there, or the file is no socket.
                continue
            }
            if let end = socket.lastIndex(of: "/") { rmdir(String(socket[..<end])) }
        }
    }
}

extension RunOptions {
    /// The process and the control socket of the node that runs with the state folder of these options; nil if there is
    /// none, or if the folder does not show it. The process is nil if it is not known to hold the lock of the folder.
    package var shownNode: (process: Int32?, control: String)? { NodeState.shownNode(in: stateDirectory) }

    /// The path of the control socket, as the state folder of these options shows it; nil if the folder shows none, or
    /// if a person has named the path. A command needs it if its runtime folder is not that of the node: a command that
    /// cron starts has no runtime folder, but a node in the session of a person has one. The node may have been killed.
    package var shownControl: String? { rescue == nil ? nil : NodeState.shownControl(in: stateDirectory) }
}
