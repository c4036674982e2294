package import AudioIO
import Dispatch

/// Lists the sound devices of this machine while a node runs.
///
/// The kernel lets a list wait for a card whose driver hangs. The threads that run Swift tasks must stay free then,
/// because they handle signals and all other requests too. So lists are made on one queue, one after another: a driver
/// that does not return holds up no more than that queue.
package struct DeviceListing: Sendable {
    private let queue = DispatchQueue(label: "partyline.list")
    private let list: @Sendable () -> [SoundDevice]

    /// - Parameter list: may block. Only tests pass another one.
    package init(_ list: @escaping @Sendable () -> [SoundDevice] = { SoundDevice.all() }) { self.list = list }

    /// Returns the devices when all earlier lists are made.
    package func devices() async -> [SoundDevice] {
        await withCheckedContinuation { continuation in
            queue.async { [list] in continuation.resume(returning: list()) }
        }
    }
}
