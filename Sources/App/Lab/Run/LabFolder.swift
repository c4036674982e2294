import FileAudio
import Foundation
import Primitives

/// The lab's own folder: state, sockets, microphones, recordings and logs of all its nodes.
struct LabFolder {
    enum Failure: Error, CustomStringConvertible {
        case cannotMake(String, code: Int32)

        var description: String {
            switch self {
            case .cannotMake(let path, let code): "cannot make the folder \(path): \(String(cString: strerror(code)))"
            }
        }
    }

    let path: String
    private let isKept: Bool

    /// - Parameter keep: where the person wants it, and kept; nil makes one that `remove` removes.
    /// - Throws: `cannotMake` with the errno.
    init(keep: String?) throws(Failure) {
        if let keep {
            guard mkdir(keep, 0o700) == 0 || errno == EEXIST else { throw .cannotMake(keep, code: errno) }
            path = keep
            isKept = true
            return
        }
        // Short, because a socket's path may have 107 bytes only.
        let base = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.utf8.count < 60 ? $0 : nil } ?? "/tmp"
        var template = Array((base + "/partyline-lab-" + String(repeating: "X", count: 6)).utf8CString)
        guard mkdtemp(&template) != nil else { throw .cannotMake(base, code: errno) }
        path = template.withUnsafeBufferPointer {
            String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        isKept = false
    }

    func state(_ node: Int) -> String { "\(path)/state-\(node)" }
    func control(_ node: Int) -> String { "\(path)/\(node).sock" }
    func log(_ node: Int) -> String { "\(path)/node-\(node).log" }
    func microphone(_ node: Int) -> String { "\(path)/microphone-\(node).wav" }
    /// A node that starts again begins another recording.
    func recording(_ node: Int, start: Int) -> String { "\(path)/heard-\(node).\(start).wav" }

    /// A recording at 48 kHz. Throws `WaveError` where the file cannot be made.
    func write(_ samples: [Float], to path: String, startsAt: Instant) throws {
        let writer = try WaveWriter(path: path, startsAt: startsAt)
        samples.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            writer.place(base, count: buffer.count, stride: 1, at: 0)
        }
        writer.finish()
    }

    /// What was heard, as far as there is any.
    func recordings(of node: Int, starts: Int) -> [Recording] {
        (0..<starts).compactMap { start in
            guard let file = try? WaveFile.load(recording(node, start: start)), let startsAt = file.startsAt else {
                return nil
            }
            return Recording(samples: file.samples, start: startsAt)
        }
    }

    /// The last lines of a node's log, for a person who must find out why it did not run.
    func lastWords(of node: Int) -> [Substring] {
        let text = (try? String(contentsOfFile: log(node), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(3)
    }

    func remove() {
        if !isKept { try? FileManager.default.removeItem(atPath: path) }
    }
}
