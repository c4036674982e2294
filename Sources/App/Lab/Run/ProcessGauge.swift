import Foundation

/// Processor time and memory of a process, from the kernel's statistics (proc(5)).
package struct ProcessGauge: Hashable, Sendable {
    package let cpuSeconds: Double
    package let residentMebibytes: Double

    /// Nil if the process does not exist any more.
    init?(process id: Int32) {
        guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return nil }
        self.init(
            stat: stat, ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))),
            pageBytes: Double(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// Parses the text of `/proc/PID/stat`; nil if it has another form.
    package init?(stat: String, ticksPerSecond: Double, pageBytes: Double) {
        // The second field is the program's name in parentheses, which may contain spaces and parentheses.
        guard let nameEnd = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: nameEnd)...].split(separator: " ")
        guard 21 < fields.count, let user = Double(fields[11]), let system = Double(fields[12]),
            let pages = Double(fields[21])
        else { return nil }
        cpuSeconds = (user + system) / ticksPerSecond
        residentMebibytes = pages * pageBytes / 1_048_576
    }
}
