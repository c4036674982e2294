import FileAudio
import Foundation
import Primitives

/// The folder of a lab: state, sockets, microphone tracks, recordings and logs of all its nodes.
struct LabFolder {
    enum Failure: Error, CustomStringConvertible {
        case cannotMake(String, code: Int32)
        case cannotWrite(String, WaveWriter.Stop)

        var description: String {
            switch self {
            case .cannotMake(let path, let code): "cannot make the folder \(path): \(String(cString: strerror(code)))"
            case .cannotWrite(let path, .refused(let code)): "cannot write \(path): \(String(cString: strerror(code)))"
            case .cannotWrite(let path, .full): "cannot write \(path): it is longer than a WAV file can be"
            }
        }
    }

    let path: String
    private let isKept: Bool

    /// - Parameter keep: path of a folder that is kept; nil makes a temporary one, which `remove` deletes.
    /// - Throws: `cannotMake` if the folder cannot be made.
    init(keep: String?) throws(Failure) {
        if let keep {
            guard mkdir(keep, 0o700) == 0 || errno == EEXIST else { throw .cannotMake(keep, code: errno) }
            path = keep
            isKept = true
            return
        }
        // A short path, because the path of a socket is limited to 107 bytes.
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
    /// The configuration file of a node, which has its talk keys alone: the settings of the person, such as the code
    /// file of a closed mesh, are not those of a lab.
    func configuration(_ node: Int) -> String { "\(path)/node-\(node).toml" }
    func log(_ node: Int) -> String { "\(path)/node-\(node).log" }
    func microphone(_ node: Int) -> String { "\(path)/microphone-\(node).wav" }
    /// Path of the recording of a node's start; each start has a recording of its own.
    func recording(_ node: Int, start: Int) -> String { "\(path)/heard-\(node).\(start).wav" }

    /// - Throws: the error of the write.
    func writeConfiguration(_ text: String, of node: Int) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration(node)))
    }

    /// Writes a WAV file that says at which instant it starts.
    /// - Throws: the error of `WaveWriter`; `cannotWrite` if a part of the samples is not in the file.
    func write(_ samples: [Float], to path: String, startsAt: Instant) throws {
        let writer = try WaveWriter(path: path, startsAt: startsAt)
        samples.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            writer.place(base, count: buffer.count, stride: 1, at: 0)
        }
        writer.finish()
        if let stop = writer.stop { throw Failure.cannotWrite(path, stop) }
    }

    /// Returns the recordings of a node, the mean of both ears; those that cannot be read are left out.
    func recordings(of node: Int, starts: Int) -> [Recording] {
        (0..<starts).compactMap { LabFolder.load(recording(node, start: $0), .mean) }
    }

    /// Returns the recordings of a node, as each ear heard it; those that cannot be read are left out.
    func ears(of node: Int, starts: Int) -> [HearingJudgement.Ears] {
        (0..<starts).compactMap { start in
            let path = recording(node, start: start)
            guard let left = LabFolder.load(path, .left), let right = LabFolder.load(path, .right) else { return nil }
            return HearingJudgement.Ears(left: left, right: right)
        }
    }

    /// Returns what the microphone of a node heard; nil if it cannot be read.
    func spoken(by node: Int) -> Recording? { LabFolder.load(microphone(node), .mean) }

    private static func load(_ path: String, _ side: WaveFile.Side) -> Recording? {
        guard let file = try? WaveFile.load(path, side), let startsAt = file.startsAt else { return nil }
        return Recording(samples: file.samples, start: startsAt)
    }

    /// Returns the last three lines of a node's log, which may show why the node ended.
    func lastWords(of node: Int) -> [Substring] {
        let text = (try? String(contentsOfFile: log(node), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(3)
    }

    /// Deletes the folder, unless it is kept.
    func remove() {
        if !isKept { try? FileManager.default.removeItem(atPath: path) }
    }
}
