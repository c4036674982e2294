package import AudioIO
import Dispatch

/// Lists the sound devices of this machine while a node runs.
///
/// If the driver of a card hangs, a call that lists the devices does not return. The threads that run Swift tasks must
/// stay free then, because they handle signals and all other requests too. So the lists are made one after another on a
/// queue of their own, and the driver blocks only that queue.
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
