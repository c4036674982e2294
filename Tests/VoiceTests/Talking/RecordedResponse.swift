import Foundation
import Primitives
import Testing

/// The response of a stage to a synthetic sound, from Tests/Vectors/voice: a name and its values on each line.
enum RecordedResponse {
    static func lines(of file: String) throws -> [(name: String, values: [Float])] {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/voice/\(file)")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return try lines.map { line in
            let words = line.split(separator: " ")
            return (String(words[0]), try words.dropFirst().map { try #require(Float($0)) })
        }
    }
}

extension SeededRandom {
    /// One of 2,001 values from -1 to 1, the same on every machine and in every language.
    mutating func swing() -> Double { (Double(below(2_001)) - 1_000) / 1_000 }
}

extension [Float] {
    /// Lets a stage work in place on the block that begins at `start`.
    mutating func work(from start: Int = 0, count: Int? = nil, _ stage: (UnsafeMutablePointer<Float>, Int) -> Void) {
        let count = count ?? self.count - start
        withUnsafeMutableBufferPointer { if let base = $0.baseAddress { stage(base + start, count) } }
    }
}
