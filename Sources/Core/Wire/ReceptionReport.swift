/// What a listener reports to a talker about the last two seconds, before copies have recovered anything.
///
/// It has run lengths because copies of earlier frames must be spread further apart for bursts than for single losses
/// (docs/decisions/016-copies.md).
package struct ReceptionReport: Hashable, Sendable {
    /// Lost packets, of 1,000 sent.
    package var lossPermille: UInt16
    /// Mean length of a run of lost packets, in tenths of a packet; 10 for single losses, 0 if none is lost.
    package var lossRunTenths: UInt16
    /// Frames that came after their play-out time, of 1,000.
    package var latePermille: UInt16
    /// The listener's jitter buffer target in samples at 48 kHz.
    package var jitterTargetSamples: UInt16
    /// Age of the sound of the reporter's microphone when it is read, in samples at 48 kHz; 0 if unknown.
    package var captureSamples: UInt16
    /// How long sound waits in the reporter's output after it is mixed, in samples at 48 kHz; 0 if unknown.
    package var playoutSamples: UInt16

    package init(
        lossPermille: UInt16, lossRunTenths: UInt16, latePermille: UInt16, jitterTargetSamples: UInt16,
        captureSamples: UInt16 = 0, playoutSamples: UInt16 = 0
    ) {
        self.lossPermille = lossPermille
        self.lossRunTenths = lossRunTenths
        self.latePermille = latePermille
        self.jitterTargetSamples = jitterTargetSamples
        self.captureSamples = captureSamples
        self.playoutSamples = playoutSamples
    }
}
