import AudioIO
import ControlPlane
import Foundation
import Testing

@Suite("orders to the playback thread")
struct PlaybackOrderTests {
    @Test("every permitted volume arrives with an error below half a decibel", arguments: (-60...12).map(Double.init))
    func gain(decibels: Double) {
        #expect(ControlLimits.gainDecibelsRange.contains(decibels))
        let mark = PlaybackOrder.mark(ofGain: Float(pow(10, decibels / 20)))
        #expect(abs(20 * log10(Double(PlaybackOrder.gain(ofMark: mark))) - decibels) < 0.5)
    }

    @Test("a gain of 0 stays 0, one that is no number becomes 1, and one that is too high becomes the maximum")
    func edges() {
        #expect(PlaybackOrder.gain(ofMark: PlaybackOrder.mark(ofGain: 0)) == 0)
        #expect(PlaybackOrder.gain(ofMark: PlaybackOrder.mark(ofGain: .nan)) == 1)
        #expect(PlaybackOrder.gain(ofMark: PlaybackOrder.mark(ofGain: 100)) == AudioLimits.gainMax)
    }
}
