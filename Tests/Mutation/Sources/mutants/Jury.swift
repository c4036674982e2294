import Foundation
import MutationSites

/// Judges mutants, several at once, and writes down each judgement.
final class Jury: @unchecked Sendable {
    private let play: Play
    private let stages: @Sendable (_ number: Int) -> [Stage]
    private let asksAll: Bool
    private let lock = NSLock()
    private var waiting: [(number: Int, site: MutationSite)]
    private(set) var results: ResultFile
    private var trouble: (any Error)?
    private let begin = Date()
    private let total: Int
    private let judgedBefore: Int

    /// - Parameters:
    ///   - stages: what judges the mutant of a number.
    ///   - asksAll: whether every stage is asked, or none after the first that kills.
    init(
        _ mutants: [(number: Int, site: MutationSite)], _ results: ResultFile, play: Play,
        stages: @escaping @Sendable (_ number: Int) -> [Stage], asksAll: Bool
    ) {
        (self.play, self.stages, self.asksAll, self.results) = (play, stages, asksAll, results)
        total = mutants.count
        waiting = mutants.filter { results.lines[$0.number] == nil }.reversed()
        judgedBefore = total - waiting.count
    }

    func judge(jobs: Int) throws {
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let mutant = next() {
                do {
                    note(try judgement(of: mutant), of: mutant.site)
                } catch {
                    lock.withLock { trouble = error }
                }
            }
        }
        if let trouble { throw trouble }
    }

    private func next() -> (number: Int, site: MutationSite)? {
        lock.withLock { trouble == nil ? waiting.popLast() : nil }
    }

    private func judgement(of mutant: (number: Int, site: MutationSite)) throws -> ResultFile.Line {
        var line = ResultFile.Line(number: mutant.number, stage: "", by: "", seconds: 0, verdicts: [:])
        for stage in stages(mutant.number) where stage.runs(mutant.site.module) && (asksAll || line.stage.isEmpty) {
            let end = try play.play(stage, module: mutant.site.module, number: mutant.number)
            line.verdicts[stage.name] = end.isKilled
            guard line.stage.isEmpty else { continue }
            line.seconds += end.seconds
            if end.isKilled { (line.stage, line.by) = (stage.name, end.by) }
        }
        return line
    }

    private func note(_ line: ResultFile.Line, of site: MutationSite) {
        lock.withLock {
            do { try results.append(line) } catch { trouble = error }
            let done = results.lines.count
            let alive = results.lines.values.count { $0.stage.isEmpty }
            let spent = Date().timeIntervalSince(begin)
            let left = spent / Double(max(1, done - judgedBefore)) * Double(total - done)
            let what = line.stage.isEmpty ? "SURVIVES" : "\(line.stage): \(line.by)"
            let name = "\(site.file.split(separator: "/").last ?? ""):\(site.line) \(site.change)"
            let progress = "\(done)/\(total), \(alive) alive, \(Int(left / 60) + 1) min left"
            say("\(progress)  \(name.prefix(90))  \(what.prefix(90))")
        }
    }
}

/// Progress, beside the report.
func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
