import Foundation

/// The facts of a report about the machine. The machine's name is none of them.
enum SystemFacts {
    static func tree() -> ReportTree {
        var name = utsname()
        uname(&name)
        let kernel = "\(text(&name.sysname)) \(text(&name.release))"
        return .object([
            "kernel": .text(kernel), "machine": .text(text(&name.machine)), "distribution": .text(distribution),
            "swift": .text(swift), "processors": .number(Double(ProcessInfo.processInfo.processorCount)),
            "memory_mb": .number(Double(ProcessInfo.processInfo.physicalMemory / 1_048_576)),
        ])
    }

    /// The version of Swift that built the program, whose runtime libraries it needs.
    private static var swift: String {
        #if swift(>=6.4)
        "6.4 or newer"
        #elseif swift(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }

    /// `PRETTY_NAME` of os-release(5).
    private static var distribution: String {
        let file = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let line = file.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        return line.map { String($0.dropFirst(12)).replacing("\"", with: "") } ?? "unknown"
    }

    private static func text<Field>(_ field: inout Field) -> String {
        withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
