import Handover
import Primitives
package import Voice

/// The encoder settings that the capture thread must use, and a count of the listeners that have come. The node loop
/// writes them. The thread reads them once a block.
package final class EncoderOrder: Sendable {
    private let order: SharedNumber
    private let joinCount = SharedNumber()

    package init(_ settings: EncoderSettings) { order = SharedNumber(Self.packed(settings)) }

    /// - Parameter joins: counts the listeners that have come, wrapping.
    package func give(_ settings: EncoderSettings, joins: UInt8) {
        order.value = Self.packed(settings)
        joinCount.value = UInt64(joins)
    }

    package var joins: UInt8 { UInt8(truncatingIfNeeded: joinCount.value) }

    /// Nil if the number holds no valid frame duration.
    package var settings: EncoderSettings? {
        let packed = order.value
        return FrameDuration(rawValue: UInt8(truncatingIfNeeded: packed)).map {
            EncoderSettings(frame: $0, bitsPerSecond: Int(packed >> 16), isPlain: packed & 0x100 != 0)
        }
    }

    private static func packed(_ settings: EncoderSettings) -> UInt64 {
        UInt64(UInt32(clamping: settings.bitsPerSecond)) << 16 | (settings.isPlain ? 0x100 : 0)
            | UInt64(settings.frame.rawValue)
    }
}
