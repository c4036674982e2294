package import Channels
import Primitives
import StateStore
import Trust
import TrustCrypto

/// A file with the code of a channel, as a setting names it: `lights=lights.code`.
package struct ChannelCodeFile: Hashable, Sendable {
    /// The name of a channel with a code.
    package let channel: ChannelName
    package let path: String

    /// The files of the settings. A value that is not valid, a second one for a channel, and the first one that is too
    /// many are mistakes.
    static func all(in reading: inout SettingsReading) -> [ChannelCodeFile] {
        var files: [ChannelCodeFile] = []
        for value in reading.settings.all(.channelCodeFile) {
            guard let file = ChannelCodeFile(value) else {
                reading.refuse(value, of: .channelCodeFile)
                continue
            }
            guard !files.contains(where: { $0.channel == file.channel }) else {
                reading.mistakes.note(value.place, "channel \(file.channel) has a file already")
                continue
            }
            guard files.count < ChannelCodeLimits.heldMax else {
                reading.mistakes.note(
                    value.place, "a node has at most \(ChannelCodeLimits.heldMax) channels with a code")
                break
            }
            files.append(file)
        }
        return files
    }

    /// Nil without a name, or without a path. The name may have its mark.
    init?(_ value: RunSettings.Value) {
        guard let equals = value.text.firstIndex(of: "=") else { return nil }
        let written = value.text[..<equals]
        let path = RunSettings.Value(String(value.text[value.text.index(after: equals)...]), at: value.place)
        let name = ChannelName.unmarked(String(written)) ?? written
        guard !path.text.isEmpty, let channel = try? ChannelName(typed: ChannelName.codeMark + name) else { return nil }
        self.channel = channel
        self.path = path.path
    }
}

extension RunOptions {
    /// Reads the code files of channels, a tenth of a second for each.
    ///
    /// - Parameters:
    ///   - mesh: the closed mesh in which the node is; nil for an open one.
    ///   - key: the private key of the node.
    /// - Returns: the codes, and a warning for each file that has none or that others may read.
    func channelCodes(in mesh: StoredMesh?, key: [UInt8]) -> (codes: [RememberedCode], warnings: [String]) {
        guard !channelCodeFiles.isEmpty,
            let sealing = try? CryptoSealing(privateKey: key, randomBytes: OSRandom.bytes(count:))
        else { return ([], []) }
        let meshID = mesh?.id ?? MeshID(ofOpenMesh: self.mesh, sealing: sealing)
        var (codes, warnings): ([RememberedCode], [String]) = ([], [])
        for file in channelCodeFiles {
            let id = ChannelID(of: file.channel, in: meshID, sealing: sealing)
            do {
                let code = try TypedCode.read(file: file.path, TypedCode.chosen)
                if let warning = TypedCode.warning(ofFile: file.path) { warnings.append(warning) }
                guard let codeKey = code.key(of: id) else {
                    warnings.append("the code of channel \(file.channel) needs 64 MiB of memory")
                    continue
                }
                codes.append(RememberedCode(channel: id, name: "\(file.channel)", codeKey: codeKey))
            } catch {
                warnings.append("channel \(file.channel) has no code: \(error)")
            }
        }
        return (codes, warnings)
    }
}
