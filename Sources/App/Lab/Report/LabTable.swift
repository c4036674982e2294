import Foundation
import NodeRuntime

/// The text form of a lab's report: the nodes' health, a table of who heard whom, and the verdict in the last line.
package enum LabTable {
    package static func text(_ report: LabReport) -> String {
        var lines = health(report) + [""] + matrix(report)
        if !report.faults.isEmpty { lines += [""] + faults(report) }
        if !report.complaints.isEmpty { lines += [""] + report.complaints.map { "! " + $0 } }
        return (lines + [""] + verdict(report)).joined(separator: "\n")
    }

    private static func health(_ report: LabReport) -> [String] {
        ["  NODE      ID         INST  LINKS  CLIQUE   RTT ms  LOSS %  BUFFER ms  HEALTH"]
            + report.nodesStatus.map { status in
                let up = status.peers.filter { $0.state == "up" }
                return "  "
                    + [
                        padded(status.node.name, 10), padded(status.node.shortId, 11),
                        padded(String(status.node.instance), 6), padded("\(up.count)/\(report.running - 1)", 7),
                        padded(status.mesh.cliqueComplete ? "whole" : "broken", 9),
                        padded(range(up.compactMap(\.rttMs)), 8), padded(range(up.compactMap(\.lossInPct)), 8),
                        padded(range(up.compactMap(\.bufferMs)), 11),
                        status.health.first ?? "ok",
                    ].joined()
            }
    }

    /// Returns the table: a row for each speaker, a column for each listener. A cell is the delay from mouth to ear in
    /// milliseconds, or `X` if nothing was heard.
    private static func matrix(_ report: LabReport) -> [String] {
        guard report.channels == 1 else { return onChannels(report) }
        guard report.nodes <= matrixNodesMax else {
            let missing = report.pairs.filter { !$0.heard }.prefix(missingShownMax)
            return missing.isEmpty
                ? ["  everyone heard everyone"] : missing.map { "  node \($0.to) did not hear node \($0.from)" }
        }
        let columns = 0..<report.nodes
        let head = "  heard, ms  " + columns.map { padded("→\($0)", 7) }.joined()
        return [head]
            + columns.map { from in
                "  node \(padded(String(from), 6))"
                    + columns.map { to in
                        padded(cell(report.pairs.first { $0.from == from && $0.to == to }, isOwn: from == to), 7)
                    }.joined()
            }
    }

    /// Returns a line for each pair that did not hear as it must.
    private static func onChannels(_ report: LabReport) -> [String] {
        let wrong = report.pairs.filter { $0.isLeak || $0.expected && !$0.heard || $0.isLevelWrong || $0.isEarWrong }
        guard !wrong.isEmpty else { return ["  everyone heard what is said on its channels, and nothing else"] }
        return wrong.prefix(missingShownMax).map { pair in
            let voice = "node \(pair.from) on \((pair.channels ?? []).joined(separator: " and "))"
            if pair.isLeak { return "  node \(pair.to) heard \(voice), and is not there" }
            guard pair.heard else { return "  node \(pair.to) did not hear \(voice)" }
            let level = pair.levelDb.map { "\(number($0)) dB" } ?? "no level"
            return "  node \(pair.to) heard \(voice) at \(level) in \(pair.ear ?? "no ear"), instead of "
                + "\(number(pair.levelExpectedDb ?? 0)) dB in \(pair.earExpected ?? "no ear")"
        }
    }

    private static func cell(_ pair: LabReport.Pair?, isOwn: Bool) -> String {
        guard let pair, !isOwn else { return isOwn ? "·" : "-" }
        guard pair.heard else { return "X" }
        return pair.latencyMs.map { number($0) } ?? "yes"
    }

    private static func faults(_ report: LabReport) -> [String] {
        report.faults.map { seen in
            let down = seen.downSeenS.map { "saw it down after \(number($0)) s" } ?? "did not see it down"
            let back = seen.backSeenS.map { ", back after \(number($0)) s as instance \(seen.instance ?? 0)" }
            return "  node \(seen.node) was killed: node \(seen.by) \(down)\(back ?? "")"
        }
    }

    private static func verdict(_ report: LabReport) -> [String] {
        let loss = report.pairs.compactMap(\.lossPct).max() ?? 0
        let latency = report.latencyMs.map { "\(number($0.median)) ms median, \(number($0.max)) ms max" } ?? "unknown"
        let cpu = report.cpuPct.map { "\(number($0.median)) % of a core median, \(number($0.max)) % max" } ?? "unknown"
        let memory = report.rssMib.map { "\(number($0.median)) MiB median, \(number($0.max)) MiB max" } ?? "unknown"
        let clique = report.cliqueS.map { "whole after \(number($0)) s" } ?? "never whole"
        return [
            "mouth to ear  \(latency) (loss at most \(number(loss)) %)",
            "a node uses   \(cpu); \(memory)",
            "clique        \(clique), \(report.cliqueComplete ? "whole" : "broken") at the end",
            "heard         \(report.pairsHeard) of \(report.pairsExpected) pairs"
                + (report.channels == 1 ? "" : "; \(report.leaks.counted("leak")); \(levels(report))"),
            report.isPassed ? "PASSED" : "FAILED",
        ]
    }

    private static func levels(_ report: LabReport) -> String {
        let errors = report.pairs.compactMap { pair in
            pair.levelDb.flatMap { level in pair.levelExpectedDb.map { abs(level - $0) } }
        }
        return "levels at most \(errors.max().map { String(format: "%.2f", $0) } ?? "-") dB off"
    }

    private static let matrixNodesMax = 9
    /// Pairs of nodes that are named.
    private static let missingShownMax = 20

    private static func range(_ values: [Double]) -> String {
        guard let low = values.min(), let high = values.max() else { return "-" }
        return number(low) == number(high) ? number(low) : "\(number(low))–\(number(high))"
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    private static func padded(_ text: String, _ width: Int) -> String {
        text.count < width ? text + String(repeating: " ", count: width - text.count) : text + " "
    }
}

extension LabReport {
    /// Number of nodes that ran at the end and reported their status.
    fileprivate var running: Int { nodesStatus.count }
}
