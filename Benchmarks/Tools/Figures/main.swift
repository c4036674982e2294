import Foundation

// Usage: Figures FILE
// Prints each hot path beside its floor. Ends with 1 where an audio path asks anything of the heap:
// times are figures, never a verdict.

func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

func time(_ microseconds: Double) -> String {
    switch microseconds {
    case ..<1: String(format: "%.0f ns", microseconds * 1_000)
    case ..<1_000: String(format: "%.2f µs", microseconds)
    default: String(format: "%.2f ms", microseconds / 1_000)
    }
}

func line(_ path: String, _ columns: [String], floor: String) -> String {
    path.padding(toLength: 32, withPad: " ", startingAt: 0)
        + zip(columns, [10, 10, 7, 8, 7]).map { padded($0, $1) }.joined() + "   " + floor
}

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: Figures FILE\n".utf8))
    exit(64)
}
let measurements = try Measurement.read(from: URL(filePath: CommandLine.arguments[1]))
var faults: [String] = []
print(line("hot path", ["time", "floor", "ratio", "core", "heap"], floor: "the floor"))
for row in Row.all {
    guard let measured = measurements[row.path] else {
        faults.append("\(row.path): not measured")
        continue
    }
    let floor = row.floor.flatMap { measurements[$0] }
    if row.floor != nil, floor == nil { faults.append("\(row.path): its floor was not measured") }
    let columns = [
        time(measured.microseconds),
        floor.map { time($0.microseconds) } ?? "",
        floor.map { String(format: "%.2f", measured.microseconds / $0.microseconds) } ?? "",
        row.everyMicroseconds.map { String(format: "%.2f %%", 100 * measured.microseconds / $0) } ?? "",
        String(format: 0 < measured.heapCalls && measured.heapCalls < 10 ? "%.1f" : "%.0f", measured.heapCalls),
    ]
    print(line(row.path, columns, floor: row.floor ?? ""))
    if case .untouched = row.heap, measured.heapCalls != 0 {
        faults.append("\(row.path): calls the heap, which an audio thread must not")
    }
}
print(
    """

    Processor time of one turn, quickest of a second's measurements. core: share of a core, at a turn each 5 ms
    (simulator: each second). heap: calls of malloc, its kin and free in a turn, the worst seen; what audio threads
    run must show 0. Where other programs load the machine, ratios waver too.
    """)
for fault in faults { FileHandle.standardError.write(Data("fault: \(fault)\n".utf8)) }
exit(faults.isEmpty ? 0 : 1)
