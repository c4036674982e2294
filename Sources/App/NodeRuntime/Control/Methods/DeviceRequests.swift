import AudioIO
package import ControlPlane
import Dispatch
import StateStore

/// Asks for the sound devices that the node sees.
package struct DevicesRequest: NodeRequest {
    package static let method = ControlMethod(
        "devices", since: "0.1.0", does: "The sound devices of this machine, and which of them the node uses.")
    package typealias Answer = DevicesDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DevicesDocument {
        let parts = handler.node.parts
        return DevicesDocument(of: await parts.listing.devices(), usedBy: parts.audio)
    }
}

/// Changes a sound device of the node while it runs.
package struct DeviceSetRequest: NodeRequest {
    package static let method = ControlMethod(
        "device.set", since: "0.1.0",
        does: """
            Changes a sound device while the node runs. An input or output is kept for the next start, unless an \
            option or the configuration file names the device.
            """)
    package typealias Answer = DoneDocument

    /// The place of a sound device. A node has an `output2` only if it was started with one.
    package enum Side: String, ControlWord { case input, output, output2 }

    /// Which device is changed.
    package var side: Side
    /// `alsa:NAME`, `file:PATH` with an absolute path, `tone:HZ` (input only) or `null`.
    package var device: String

    package init(side: Side, device: String) { (self.side, self.device) = (side, device) }

    package func check() throws(ControlFailure) {
        if case .file(let path) = try specification() { try checkAbsolute(path, of: "device") }
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        try await handler.change(side, to: try specification())
        return DoneDocument()
    }

    private func specification() throws(ControlFailure) -> DeviceSpecification {
        do throws(DeviceSpecificationError) {
            return try DeviceSpecification(device, as: side == .input ? .input : .output)
        } catch {
            throw ControlFailure(.invalidParameters, error.description)
        }
    }
}

extension ControlRequestHandler {
    /// Opens the device and lets the node run on it. A device on which the node runs already stays as it is, and no
    /// event tells of it.
    ///
    /// - Throws: `notNow` with the reason. Then the present device goes on.
    fileprivate func change(
        _ side: DeviceSetRequest.Side, to device: DeviceSpecification
    ) async throws(ControlFailure) {
        let (node, options) = (node, description.options)
        let outcome: Result<Bool, ControlFailure> = await withCheckedContinuation { continuation in
            node.parts.devices.async {
                do throws(ControlFailure) {
                    let isChanged = try node.parts.audio.change(
                        side, to: device, needsOneClock: options.speaking.hasEchoCancellation)
                    continuation.resume(returning: .success(isChanged))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        let isChanged = try outcome.get()
        try await visit { node in
            // Without an option there is no second output, so its device is always named. The device of a later change
            // may run by now, and that one counts at the next start.
            let running = node.parts.audio.devices
            let present = side == .input ? running.input : running.output
            if side != .output2 { node.parts.state.database.remember(device: present.device, as: side.rawValue) }
            if isChanged { node.tell(.deviceChanged(side: side.rawValue, device: device.description)) }
        }
    }
}

extension AudioEngine {
    /// Blocks while the devices open and close.
    ///
    /// - Parameter needsOneClock: whether one clock must drive both devices, for echo cancellation.
    /// - Returns: false if the node runs on the device already.
    /// - Throws: `notNow` with the reason. Then the present device goes on.
    fileprivate func change(
        _ side: DeviceSetRequest.Side, to device: DeviceSpecification, needsOneClock: Bool
    ) throws(ControlFailure) -> Bool {
        let (input, output, second) = devices
        let present: DeviceStatus? = side == .input ? input : side == .output ? output : second
        guard let present else { throw ControlFailure(.notNow, "the node was started without output2") }
        // A missing device is opened now. If that fails, the answer says why.
        guard device.description != present.device || present.state != .running else { return false }
        let other = side == .input ? output.device : input.device
        if needsOneClock, let other = try? DeviceSpecification(other, as: .input), !device.sharesClock(with: other) {
            throw ControlFailure(.notNow, SpeechDemands.clocks(device, other))
        }
        let otherOutput: DeviceStatus? = side == .output ? second : side == .output2 ? output : nil
        if let other = otherOutput.flatMap({ try? DeviceSpecification($0.device, as: .output) }),
            device.isSameFile(as: other)
        {
            throw ControlFailure(.notNow, "\(device) is the other output already, expected another file")
        }
        // Sound files need no real time.
        let realTime: AudioConfiguration.RealTimePolicy = device.mayBeCard ? .forHardware : .never
        do throws(DeviceOpenError) {
            switch side {
            case .input: try changeInput(to: .device(device), realTime: realTime)
            case .output: try changeOutput(to: .device(device), realTime: realTime)
            case .output2: try changeSecond(to: .device(device), realTime: realTime)
            }
        } catch {
            throw ControlFailure(.notNow, "\(device) is not used: \(error.description)")
        }
        return true
    }
}
