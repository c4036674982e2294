import ControlPlane
import NodeRuntime
import Primitives

/// One node of a lab: its process, and the status that it reports.
final class LabNode {
    let index: Int
    private let folder: LabFolder
    private let arguments: [String]
    private var process: NodeProcess?
    private var client: ControlClient?
    /// Number of starts; each has a recording of its own.
    private(set) var starts = 0
    /// The latest status that it reported.
    private(set) var status: StatusDocument?
    private var usageAtFirst: (gauge: ProcessGauge, at: Instant)?
    private(set) var cpuPercent: Double?
    private(set) var residentMebibytes: Double?

    init(index: Int, folder: LabFolder, arguments: [String]) {
        self.index = index
        self.folder = folder
        self.arguments = arguments
    }

    var isRunning: Bool { process?.isRunning ?? false }

    /// Starts the process, or starts it again.
    /// - Throws: `NodeProcess.Failure` if the system cannot start it.
    func start() throws {
        let output = ["--output", "file:" + folder.recording(index, start: starts)]
        process = try NodeProcess(arguments: ["run"] + arguments + output, log: folder.log(index))
        starts += 1
    }

    /// Kills the process, which therefore sends no leave.
    func kill() {
        client = nil
        process?.kill()
    }

    /// Ends the process by SIGTERM, so that the node leaves and completes its recording.
    func terminate() {
        client = nil
        process?.terminate()
    }

    /// Tells the node at which level and in which ear it hears each of its channels; returns false if it does not
    /// answer.
    func sit(on seats: [ChannelSeating.Seat]) -> Bool {
        seats.allSatisfy { seat in
            let request = JoinRequest(
                channel: ChannelSeating.name(of: seat.channel), levelDb: seat.levelDecibels, ear: EarWord(seat.ear))
            return ask { client in try client.ask(request, timeoutSeconds: LabLimits.answerSecondsMax) } != nil
        }
    }

    /// Holds a talk key down for `length`; returns false if the node does not answer.
    /// - Parameter key: its name; nil for the only key of a node.
    func talk(by key: String?, for length: Interval) -> Bool {
        let request = TalkRequest(.hold(seconds: length.seconds), key: key)
        return ask { client in try client.ask(request, timeoutSeconds: LabLimits.answerSecondsMax) } != nil
    }

    /// Tells the node to drop everything from and to `peer`, given by its full id. Returns false if it does not answer.
    func cut(from peer: String) -> Bool {
        ask { client in
            try client.ask(CutRequest(peer: peer, blocked: true), timeoutSeconds: LabLimits.answerSecondsMax)
        } != nil
    }

    /// Requests the status; returns false if the node does not answer.
    @discardableResult
    func poll() -> Bool {
        guard isRunning,
            let answer = ask({ client in try client.ask(StatusRequest(), timeoutSeconds: LabLimits.answerSecondsMax) })
        else { return false }
        status = answer
        return true
    }

    /// Reads the kernel's statistics of the process. Processor use is counted from the first reading on.
    func gauge(at now: Instant) {
        guard let process, process.isRunning, let gauge = ProcessGauge(process: process.id) else { return }
        residentMebibytes = gauge.residentMebibytes
        guard let first = usageAtFirst, first.gauge.cpuSeconds <= gauge.cpuSeconds, first.at < now else {
            usageAtFirst = (gauge, now)
            return
        }
        cpuPercent = 100 * (gauge.cpuSeconds - first.gauge.cpuSeconds) / (now - first.at).seconds
    }

    private func ask<Answer>(_ question: (ControlClient) throws -> Answer) -> Answer? {
        do {
            let client = try self.client ?? ControlClient(path: folder.control(index))
            self.client = client
            return try question(client)
        } catch {
            // Perhaps the node does not listen yet, or no longer. The next question opens a new connection.
            client = nil
            return nil
        }
    }
}
