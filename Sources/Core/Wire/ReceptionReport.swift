/// What a listener tells a talker about the last two seconds, before any recovery.
///
/// Run lengths are in it because copies of earlier frames must be spread further apart for bursts
/// than for single losses (docs/decisions, "loss").
package struct ReceptionReport: Hashable, Sendable {
    /// Packets lost of 1,000 sent.
    package var lossPermille: UInt16
    /// Mean length of a run of lost packets, in tenths; 10 for single losses, 0 where none is lost.
    package var lossRunTenths: UInt16
    /// Frames that came after their time, of 1,000.
    package var latePermille: UInt16
    /// The listener's jitter buffer target in samples at 48 kHz.
    package var jitterTargetSamples: UInt16
    /// How old the sound of the reporter's microphone is when it is read; 0 where it does not know.
    package var captureSamples: UInt16
    /// How long sound waits in the reporter's output, from the block it is mixed into; 0 where it does not know.
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
