package import AudioIO

/// Notices that a sound device is lost or loses sound, and that it is back. A device that cannot be opened at the
/// start, or does not answer then, counts as lost.
package struct DeviceWatch {
    /// A change of one device.
    package struct Change: Hashable, Sendable {
        /// `input`, `output` or `output2`.
        package var side: String
        /// The name in the configuration.
        package var device: String
        /// Why it is lost or loses sound, for people; nil if it is back.
        package var reason: String?
        /// Whether it runs and only loses sound.
        package var isOpen: Bool
        /// The samples that a file as output has lost, once it is back.
        package var lostSamples: UInt64

        package init(
            side: String, device: String, reason: String?, isOpen: Bool = false, lostSamples: UInt64 = 0
        ) {
            (self.side, self.device, self.reason) = (side, device, reason)
            (self.isOpen, self.lostSamples) = (isOpen, lostSamples)
        }
    }

    /// What was last told of one side.
    private struct Told {
        var isLost = false
        /// The samples that it had lost at the last look before the present loss.
        var lostSamples: UInt64 = 0
    }

    private var input = Told()
    private var output = Told()
    private var second = Told()
    /// By side, the former file of which people were told last.
    private var formerFilesTold: [String: String] = [:]

    package init() {}

    /// Returns a sentence for each file that has got another name since the last call because an output records.
    package mutating func formerFiles(_ audio: AudioStatus) -> [String] {
        var sentences: [String] = []
        let second = audio.second.map { [("output2", $0.device)] } ?? []
        for (side, device) in [("output", audio.output)] + second where device.formerFile != formerFilesTold[side] {
            formerFilesTold[side] = device.formerFile
            guard let former = device.formerFile else { continue }
            sentences.append("\(side) \(device.device): the file that was there is kept as \(former)")
        }
        return sentences
    }

    /// Returns the changes since the last call.
    package mutating func changes(_ audio: AudioStatus) -> [Change] {
        [
            DeviceWatch.change("input", audio.input, isStuck: audio.isInputStuck, &input),
            DeviceWatch.change("output", audio.output, isStuck: audio.isOutputStuck, &output),
            audio.second.flatMap { DeviceWatch.change("output2", $0.device, isStuck: $0.isStuck, &second) },
        ].compactMap { $0 }
    }

    private static func change(
        _ side: String, _ device: DeviceStatus, isStuck: Bool, _ told: inout Told
    ) -> Change? {
        let reason: String?
        var isOpen = false
        switch device.state {
        case .reopening(let why): reason = why
        case .opening where isStuck, .running where isStuck: reason = "it does not answer"
        case .running:
            reason = device.lossOfSound(as: side)
            isOpen = reason != nil
        case .opening, .stopped: return nil
        }
        let lost = device.lostSamples - told.lostSamples
        if reason == nil { told.lostSamples = device.lostSamples }
        guard told.isLost != (reason != nil) else { return nil }
        told.isLost = reason != nil
        return Change(
            side: side, device: device.device, reason: reason, isOpen: isOpen, lostSamples: reason == nil ? lost : 0)
    }
}

extension DeviceStatus {
    /// Why a file that runs loses sound; nil if it does not.
    ///
    /// - Parameter side: `input`, `output` or `output2`.
    func lossOfSound(as side: String) -> String? {
        guard losesSound else { return nil }
        return side == "input"
            ? "a part of the file cannot be read and is silent; the file may have become shorter"
            : "the disk or the WAV file takes no more sound"
    }
}
