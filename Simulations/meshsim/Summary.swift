import MeshSimulator
import Primitives

/// The totals of one command, as text and as JSON. The keys of the document are fixed by its schema.
struct Summary {
    var traceHash: TraceHash
    var outcome: Outcome
    var seedsRun: UInt64
    var seedsFailed: [UInt64]
    var counts: WorldCounts
    var virtualSeconds: Double
    /// Wall-clock time of the simulation itself, summed over jobs.
    var busySeconds: Double
    /// Processor time, which other programs on the machine do not lengthen.
    var processorSeconds: Double
    /// Sum of the lifetimes of simulated processes; nil if it is not counted.
    var nodeSeconds: Double?
    var more: [(String, JSONText)] = []

    /// Per core.
    var eventsPerSecond: Double { perSecond(Double(counts.events), busySeconds) }
    var realtimeRatio: Double { perSecond(virtualSeconds, busySeconds) }

    private func perSecond(_ amount: Double, _ seconds: Double) -> Double { 0 < seconds ? amount / seconds : 0 }

    var json: String {
        JSONText.object(
            [
                ("schema", .text("partyline.sim/1")),
                ("trace_hash", .text(traceHash.text)),
                ("verdict", .text(outcome.word)),
                ("seeds_run", .integer(seedsRun)),
                ("seeds_failed", .list(seedsFailed.map { .integer($0) })),
                ("events_per_s", .decimal(eventsPerSecond.rounded())),
                ("realtime_ratio", .decimal(realtimeRatio)),
                ("events", .integer(counts.events)),
                ("virtual_s", .decimal(virtualSeconds)),
                ("busy_s", .decimal(busySeconds)),
                ("node_hours", nodeSeconds.map { .decimal($0 / 3_600) } ?? .null),
                ("events_per_cpu_s", .decimal(perSecond(Double(counts.events), processorSeconds).rounded())),
                ("realtime_ratio_cpu", .decimal(perSecond(virtualSeconds, processorSeconds))),
                ("datagrams", .integer(counts.datagramsSent)),
                ("dials", .integer(counts.dials)),
                ("invitations", .integer(counts.invitations)),
                ("ghosts_dropped", .integer(counts.ghostsDropped)),
            ] + more
        ).line
    }

    /// Lines `name  value` for people.
    var text: String {
        let rate = "\(Int(eventsPerSecond)) events/s, \(Int(realtimeRatio)) x real time on one core"
        let processorRate =
            "\(Int(perSecond(Double(counts.events), processorSeconds))) events/s, "
            + "\(Int(perSecond(virtualSeconds, processorSeconds))) x real time by processor time"
        return """
            verdict      \(outcome.word)
            seeds        \(seedsRun) run, \(seedsFailed.count) failed\(seedsFailed.isEmpty ? "" : ": \(seedsFailed)")
            trace hash   \(traceHash.text)
            events       \(counts.events) in \(tenths(virtualSeconds)) s of virtual time
            speed        \(rate)
                         \(processorRate)\(nodeHours)
            """
    }

    private var nodeHours: String {
        guard let nodeSeconds else { return "" }
        return "\nnode-hours   \(tenths(nodeSeconds / 3_600)), "
            + "\(Int(perSecond(nodeSeconds, processorSeconds))) an hour of a processor"
    }

    private func tenths(_ number: Double) -> String { String((number * 10).rounded() / 10) }
}

extension Interval {
    var asSeconds: Double { Double(nanoseconds) / 1_000_000_000 }
}
