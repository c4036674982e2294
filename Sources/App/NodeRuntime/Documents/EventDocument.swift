import ControlPlane
import Foundation
import Logging
import Primitives

/// One line of `partyline events --json`: something happened.
package struct EventDocument: Codable, Hashable, Sendable {
    /// Always `partyline.event/1`.
    package var schema = "partyline.event/1"
    /// The name of the station that the event is about: the node's name on this machine.
    package var station: String
    /// Number of the event within this start of the node. A gap means that events were dropped.
    package var sequence: UInt64
    /// Wall time in seconds since 1970, for people. The order of events is that of `sequence`.
    package var atUnixS: Double
    /// Seconds since the node's start, by its monotonic clock.
    package var uptimeS: Double
    /// A raw value of `EventKind`. A node of a later version may send others.
    package var kind: String
    /// Short id of the peer that the event is about.
    package var peer: String?
    /// Name of that peer.
    package var name: String?
    /// One sentence for people.
    package var text: String
    /// More for programs; `EventKind` lists the keys.
    package var details: [String: String]
}

/// The events that a node has told lately.
package struct EventsDocument: Codable, Hashable, Sendable {
    /// Always `partyline.events/1`.
    package var schema = "partyline.events/1"
    /// The events, the oldest first.
    package var events: [EventDocument]
}

/// The bounds of the events that a node keeps in memory for clients that ask later.
package enum EventLimits {
    package static let keptMax = 200
    /// Bytes of the texts in these events.
    package static let keptTextBytesMax = 128 * 1024
}

/// The latest events. When they are too many or too long, the oldest one of the kind that takes the most room is
/// dropped. Events of talk and answers to pings are not kept (`EventKind.isKept`).
///
/// A stranger, a member or a program can cause events of some kinds without end. They displace the older ones of the
/// same kinds; a kind that takes less room than they do loses none.
package struct LatestEvents {
    /// The oldest first.
    package private(set) var events: [EventDocument] = []
    private var textBytes = 0

    package init() {}

    /// - Parameter kind: that of the event, of which the document has the raw value.
    package mutating func add(_ event: EventDocument, of kind: EventKind) {
        guard kind.isKept else { return }
        events.append(event)
        textBytes += event.textBytes
        while EventLimits.keptMax < events.count { dropOldest { _ in 1 } }
        while EventLimits.keptTextBytesMax < textBytes { dropOldest { $0.textBytes } }
    }

    /// Drops the oldest event of the kind whose events together take the most room.
    private mutating func dropOldest(room: (EventDocument) -> Int) {
        var rooms: [String: Int] = [:]
        for event in events { rooms[event.kind, default: 0] += room(event) }
        let most = rooms.values.max()
        guard let oldest = events.firstIndex(where: { rooms[$0.kind] == most }) else { return }
        textBytes -= events.remove(at: oldest).textBytes
    }
}

extension EventDocument {
    fileprivate var textBytes: Int {
        details.reduce(text.utf8.count + (name?.utf8.count ?? 0)) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}

/// Reports events to people: writes a line into the log, notifies each subscriber of the control socket, and keeps the
/// latest events for clients that ask later. Used on the node loop only.
final class EventAnnouncer {
    private let control: ControlServer
    private let station: String
    private let logger: Logger
    private let startedAt: Instant
    private var sequence: UInt64 = 0
    private(set) var latest = LatestEvents()
    /// Peers whose links come and go. The changes of these links go only into the log, at level debug.
    private var flapping: Set<NodeID> = []

    init(control: ControlServer, station: String, logger: Logger, startedAt: Instant) {
        self.control = control
        self.station = station
        self.logger = logger
        self.startedAt = startedAt
    }

    /// Writes a sentence into the log only.
    func note(_ text: String) { logger.notice("\(text)") }

    /// Writes a warning into the log only.
    func warn(_ text: String) { logger.warning("\(text)") }

    /// Returns whether people are told: they are not while the link of the peer comes and goes.
    @discardableResult
    func announce(_ report: EventReport, now: Instant) -> Bool {
        if let peer = report.peer {
            if report.kind.isTurn, flapping.contains(peer) {
                logger.debug("\(report.text)")
                return false
            }
            if let isFlapping = report.isFlapping {
                if isFlapping { flapping.insert(peer) } else { flapping.remove(peer) }
            }
        }
        sequence += 1
        let level: Logger.Level =
            switch report.kind {
            case .talking: .debug
            case let kind where kind.isForPeople: .notice
            default: .info
            }
        logger.log(level: level, "\(report.text)")
        let event = EventDocument(
            station: station, sequence: sequence, atUnixS: Date().timeIntervalSince1970,
            uptimeS: (now - startedAt).seconds, kind: report.kind.rawValue, peer: report.peer?.short,
            name: report.name, text: report.text, details: report.details)
        latest.add(event, of: report.kind)
        control.publish(event, kind: event.kind)
        return true
    }
}
