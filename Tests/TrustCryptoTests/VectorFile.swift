import Foundation
import Testing

/// A file of `Tests/Vectors`: a name and a hexadecimal value on each line; `-` is the empty value.
enum VectorFile {
    static func values(_ name: String) throws -> [String: [UInt8]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Vectors/\(name)")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return try Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let columns = line.split(separator: " ")
                let hex = columns[1].count % 2 == 0 ? String(columns[1]) : "0" + columns[1]
                let digits = Array(hex == "0-" ? "" : hex)
                let bytes = try stride(from: 0, to: digits.count, by: 2).map {
                    try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
                }
                return (String(columns[0]), bytes)
            })
    }
}
