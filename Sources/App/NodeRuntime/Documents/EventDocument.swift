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

/// Tells people what happened: writes a line into the log, and notifies each subscriber of the control socket. Used on
/// the node loop only.
final class EventAnnouncer {
    private let control: ControlServer
    private let station: String
    private let logger: Logger
    private let startedAt: Instant
    private var sequence: UInt64 = 0
    /// Peers whose links come and go. The changes of these links go only into the log, at level debug.
    private var flapping: Set<NodeID> = []

    init(control: ControlServer, station: String, logger: Logger, startedAt: Instant) {
        self.control = control
        self.station = station
        self.logger = logger
        self.startedAt = startedAt
    }

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
        control.publish(
            EventDocument(
                station: station, sequence: sequence, atUnixS: Date().timeIntervalSince1970,
                uptimeS: (now - startedAt).seconds, kind: report.kind.rawValue, peer: report.peer?.short,
                name: report.name, text: report.text, details: report.details), kind: report.kind.rawValue)
        return true
    }
}
