import ControlPlane
import Foundation
import Logging
import Primitives

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
