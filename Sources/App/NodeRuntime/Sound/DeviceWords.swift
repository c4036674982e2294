import AudioIO
import Glibc

/// Sound devices as people write them: `alsa:NAME`, `file:PATH`, `tone:HZ` (input only) or `null`. In a wish, an absent
/// one stays as it is.
package struct DeviceWords: Hashable, Sendable {
    package var input: String?
    package var output: String?

    package init(input: String? = nil, output: String? = nil) { (self.input, self.output) = (input, output) }

    /// Reads the name of an input.
    /// - Throws: `DeviceSpecificationError` with what would be right.
    package static func input(_ text: String) throws -> String {
        try DeviceSpecification(text, as: .input).description
    }

    /// Reads the name of an output.
    /// - Throws: `DeviceSpecificationError` with what would be right.
    package static func output(_ text: String) throws -> String {
        try DeviceSpecification(text, as: .output).description
    }

    /// Whether the device may be a sound card; false for a text that names no device.
    package static func mayBeCard(_ device: String) -> Bool {
        (try? DeviceSpecification(device, as: .input))?.mayBeCard == true
    }

    /// Why a file cannot be read as an input, or written as an output; nil if it can, and for a device of another kind.
    package static func fileFault(of device: String, isOutput: Bool) -> String? {
        guard case .file(let path)? = try? DeviceSpecification(device, as: isOutput ? .output : .input) else {
            return nil
        }
        func fault(_ path: String, _ mode: Int32) -> Int32 { access(path, mode) == 0 ? 0 : errno }
        let number = fault(path, isOutput ? W_OK : R_OK)
        guard number != 0 else { return nil }
        guard isOutput, number == ENOENT else { return "\(path): \(String(cString: strerror(number)))" }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let why = fault(folder, W_OK)
        return why == 0 ? nil : "the folder \(folder): \(String(cString: strerror(why)))"
    }

    /// The reason why a node with these options would not use the devices; nil if it would. Both are given, and were
    /// read before.
    package func refusal(by options: RunOptions) -> String? {
        guard options.speaking.hasEchoCancellation, let input, let output,
            let own = try? DeviceSpecification(input, as: .input),
            let other = try? DeviceSpecification(output, as: .output), !own.sharesClock(with: other)
        else { return nil }
        return SpeechDemands.clocks(own, other)
    }
}
