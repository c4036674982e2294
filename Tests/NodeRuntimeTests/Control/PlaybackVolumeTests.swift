import AudioIO
import ControlPlane
import Foundation
import Testing

@Suite("what the playback thread is told")
struct PlaybackOrderTests {
    @Test("every volume that may be asked for arrives, to half a decibel", arguments: (-60...12).map(Double.init))
    func gain(decibels: Double) {
        #expect(ControlLimits.gainDecibelsRange.contains(decibels))
        let mark = PlaybackOrder.mark(ofGain: Float(pow(10, decibels / 20)))
        #expect(abs(20 * log10(Double(PlaybackOrder.gain(ofMark: mark))) - decibels) < 0.5)
    }

    @Test("silence is silence, and what is no number changes nothing")
    func edges() {
        #expect(PlaybackOrder.gain(ofMark: PlaybackOrder.mark(ofGain: 0)) == 0)
        #expect(PlaybackOrder.gain(ofMark: PlaybackOrder.mark(ofGain: .nan)) == 1)
        #expect(PlaybackOrder.gain(ofMark: PlaybackOrder.mark(ofGain: 100)) == AudioLimits.gainMax)
    }
}
