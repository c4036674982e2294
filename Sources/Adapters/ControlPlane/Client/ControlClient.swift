import CLinux
import Glibc

/// A program's end of the control socket. Calls block, one request at a time, and always have a time-out.
///
/// It is not Sendable: only one thread or task may use it at a time. The connection closes when the object is released.
package final class ControlClient {
    private let descriptor: Int32
    private var framer = LineFramer(bytesMax: ControlLimits.replyLineBytesMax)
    private var lines: [[UInt8]] = []
    /// Lines of events that `nextEvent` has not returned yet.
    private var eventLines: [[UInt8]] = []
    private var lastID: Int64 = 0

    /// Connects to the node that listens at `path`. Requests may contain secrets, so none is sent to a process of
    /// another user. Such a process can listen at `path` while the node is off, if its user may write in the folder.
    ///
    /// - Parameters:
    ///   - timeoutSeconds: the wait for a node that takes no connection.
    ///   - users: the ids of the users whose processes may get requests. Only tests pass other users than that of this
    ///     process and root.
    /// - Throws: `noNodeRunning`, `notAllowed`, `otherUser`, `timedOut`, or `socket` if the system refuses for another
    ///   reason.
    package init(
        path: String, timeoutSeconds: Double = ControlLimits.connectSecondsMax, of users: Set<UInt32> = [geteuid(), 0]
    ) throws(ControlClientError) {
        do {
            descriptor = try SocketPath(path).connected(withinSeconds: timeoutSeconds)
        } catch {
            throw ControlClient.connectError(error, path: path, seconds: timeoutSeconds)
        }
        guard let user = ControlClient.user(behind: descriptor), users.contains(user) else {
            throw .otherUser(path: path)
        }
    }

    /// The user of the process that listened when this end connected (SO_PEERCRED, unix(7)). Nil if the system does not
    /// say it.
    private static func user(behind descriptor: Int32) -> UInt32? {
        var listener = linux_peercred()
        var size = socklen_t(MemoryLayout<linux_peercred>.size)
        let code = getsockopt(descriptor, linux_peercred_level, linux_peercred_name, &listener, &size)
        return code == 0 ? listener.user : nil
    }

    deinit { close(descriptor) }

    /// Sends a request, and returns the document of the reply.
    ///
    /// - Throws: `refused` if the node refuses; `unreadable` if it answers with another document; `timedOut` or
    ///   `closed` if it does not answer.
    @discardableResult
    package func ask<Request: ControlRequest>(
        _ request: Request, timeoutSeconds: Double
    ) throws(ControlClientError) -> Request.Answer {
        let line = try reply(to: request, timeoutSeconds)
        guard let document = ControlCodec.document(Request.Answer.self, of: line) else { throw .unreadable }
        return document
    }

    /// Returns the next event that the client has subscribed to, or nil if none comes in time.
    ///
    /// - Throws: `closed` if the node ends; `unreadable` if the event is no `Event`.
    package func nextEvent<Event: Codable>(
        _ type: Event.Type, timeoutSeconds: Double
    ) throws(ControlClientError) -> Event? {
        let deadline = Deadline(seconds: timeoutSeconds)
        while eventLines.isEmpty {
            guard let line = try nextLine(until: deadline) else { return nil }
            if case .event = ControlCodec.incoming(line) { eventLines.append(line) }
        }
        guard let event = ControlCodec.event(type, of: eventLines.removeFirst()) else { throw .unreadable }
        return event
    }

    /// Poll this descriptor to learn that `gatherEvents` has something to read.
    package var readableDescriptor: Int32 { descriptor }

    /// Reads the events that have arrived, without waiting for more, and keeps the latest for `latestEvents`.
    ///
    /// A client that shows events to people needs only the latest. So this function reads no document of an event, and
    /// a flood of events costs little. Only numbers in the events show what was left out.
    ///
    /// - Parameter most: the number of events that are kept.
    /// - Throws: `closed` if the node ends.
    package func gatherEvents(atMost most: Int) throws(ControlClientError) {
        eventLines += lines
        lines = []
        var chunks = 0
        while chunks < ControlClient.chunksAtOnceMax, wait(for: Int16(POLLIN), until: Deadline(seconds: 0)) {
            eventLines += try nextLines()
            chunks += 1
            eventLines.removeFirst(max(0, eventLines.count - most))
        }
    }

    /// Returns the latest events that have arrived, at most `most`, without waiting for more.
    ///
    /// - Returns: the events, the oldest first.
    /// - Throws: `closed` if the node ends; `unreadable` if an event is no `Event`.
    package func latestEvents<Event: Codable>(
        _ type: Event.Type, atMost most: Int
    ) throws(ControlClientError) -> [Event] {
        try gatherEvents(atMost: most)
        var events: [Event] = []
        for line in eventLines {
            switch ControlCodec.incoming(line) {
            // The late reply to a request that timed out is no event.
            case .result(.number), .failure(.number, _): continue
            case .event, .result, .failure, nil: break
            }
            guard let event = ControlCodec.event(type, of: line) else { throw .unreadable }
            events.append(event)
        }
        eventLines = []
        return events
    }

    /// Sends a request, and returns the line of the reply. Throws as `ask`.
    private func reply(to request: some ControlRequest, _ seconds: Double) throws(ControlClientError) -> [UInt8] {
        let deadline = Deadline(seconds: seconds)
        lastID += 1
        try write(ControlCall.line(request, id: lastID), until: deadline, seconds: seconds)
        while let line = try nextLine(until: deadline) {
            switch ControlCodec.incoming(line) {
            case .event:
                // Events that come before the reply are kept for `nextEvent`, up to a bound.
                if eventLines.count < ControlClient.eventsHeldMax { eventLines.append(line) }
            case .result(.number(lastID)):
                return line
            case .failure(.number(lastID), let failure), .failure(.null, let failure):
                throw .refused(failure)
            case .result, .failure:
                // This is the late reply to an earlier request that timed out.
                continue
            case nil:
                throw .unreadable
            }
        }
        throw .timedOut(seconds: seconds)
    }

    private static let eventsHeldMax = 1_024
    /// A node that sends without a pause must not keep `gatherEvents` from returning. The node drops what is not read.
    private static let chunksAtOnceMax = 16

    private static func connectError(
        _ error: ControlSocketError, path: String, seconds: Double
    ) -> ControlClientError {
        guard case .system(_, _, let errorNumber) = error else { return .socket(error) }
        switch errorNumber {
        case ENOENT, ECONNREFUSED, ENOTDIR: return .noNodeRunning(path: path)
        case EACCES, EPERM: return .notAllowed(path: path)
        case EAGAIN: return .timedOut(seconds: seconds)
        default: return .socket(error)
        }
    }
}

/// The reason why a request to a node failed.
package enum ControlClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No node listens there. Commands end with exit code 3.
    case noNodeRunning(path: String)
    /// The socket, or a folder above it, is closed to this user. Whether there is a socket is not known then.
    case notAllowed(path: String)
    /// A process of another user listens at the path. No request was sent to it.
    case otherUser(path: String)
    case socket(ControlSocketError)
    /// The node did not take the connection, or did not reply to a request, in time.
    case timedOut(seconds: Double)
    /// The node closed the connection.
    case closed
    /// The answer was no JSON-RPC reply to the request.
    case unreadable
    /// The node refused the request.
    case refused(ControlFailure)

    package var description: String {
        switch self {
        case .noNodeRunning(let path): "no node is running at \(path); start one with `partyline run`"
        case .notAllowed(let path): "this user may not use \(path), or a folder above it"
        case .otherUser(let path):
            "a process of another user listens at \(path), so it was not asked; "
                + "choose a folder that only you can write with --control"
        case .socket(let error): "\(error)"
        case .timedOut(let seconds): "the node did not answer within \(seconds) s"
        case .closed: "the node closed the connection"
        case .unreadable: "the node's answer was not understood; are program and node of one version?"
        case .refused(let failure): failure.message
        }
    }
}

// MARK: - Bytes

extension ControlClient {
    /// Throws `timedOut` or `closed`; `refused` if the node gives a reason before it closes.
    private func write(
        _ bytes: [UInt8], until deadline: Deadline, seconds: Double
    ) throws(ControlClientError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard wait(for: Int16(POLLOUT), until: deadline) else { throw .timedOut(seconds: seconds) }
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if 0 <= count {
                rest = rest.dropFirst(count)
            } else if errno != EAGAIN && errno != EINTR {
                // A node that refuses a client sends the reason before it closes.
                guard let line = try nextLine(until: deadline),
                    case .failure(_, let failure) = ControlCodec.incoming(line)
                else { throw .closed }
                throw .refused(failure)
            }
        }
    }

    /// Returns nil if no line is complete in time. Throws `closed`, or `unreadable` if a line is too long.
    private func nextLine(until deadline: Deadline) throws(ControlClientError) -> [UInt8]? {
        while lines.isEmpty {
            guard wait(for: Int16(POLLIN), until: deadline) else { return nil }
            lines = try nextLines()
        }
        return lines.removeFirst()
    }

    /// Reads once, and returns the lines that this completes. Throws `closed`, or `unreadable` if a line is too long.
    private func nextLines() throws(ControlClientError) -> [[UInt8]] {
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        guard 0 < count else { throw .closed }
        do {
            return try framer.lines(adding: chunk[..<count])
        } catch {
            throw .unreadable
        }
    }

    private func wait(for events: Int16, until deadline: Deadline) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let ready = poll(&entry, 1, deadline.remainingMilliseconds)
            if 0 < ready { return true }
            if ready == 0 || errno != EINTR { return false }
        }
    }

    private struct Deadline {
        private let at: ContinuousClock.Instant

        init(seconds: Double) { at = .now + .seconds(seconds) }

        var remainingMilliseconds: Int32 {
            let rest = ContinuousClock.now.duration(to: at) / .milliseconds(1)
            return Int32(max(0, min(rest.rounded(.up), 1e9)))
        }
    }
}
