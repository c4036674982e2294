import AudioIO
import Dispatch
import Handover
import Primitives

/// A piece of sound on its way to the files of a recording.
struct RecordedPiece: Sendable {
    /// The peer of a track, and the name that it gives itself; nil for the mix.
    let talker: (node: NodeID, name: String)?
    /// The place of its first sample on the recorder's axis.
    let place: Int64
    /// The samples as they were in the ring.
    let bytes: [UInt8]
}

/// A recording and the queue that writes its files, so that a disk that hangs holds up this recording alone.
final class RunningRecording: @unchecked Sendable {
    /// Its files are touched on `queue` only.
    let session: RecordingSession
    let queue = DispatchQueue(label: "partyline.recording", qos: .utility)
    /// Why the disk takes no more. Used on `queue` only.
    private var refusal: RecordingEnd?
    /// Pieces that were never offered to the disk, since it had refused an earlier one. Used on `queue` only.
    private var piecesLeftOut = 0
    // Used on the recorder's queue only.
    /// Sound that is not handed to `queue` yet.
    var pending: [RecordedPiece] = []
    /// Whether `queue` has sound that it has not written yet.
    var isWriting = false

    init(_ session: RecordingSession) { self.session = session }

    /// Whether more sound may wait.
    var hasRoom: Bool { pending.count < RecordingLimits.piecesWaitingMax }

    /// Takes the sound that waits.
    func takePending() -> [RecordedPiece] {
        defer { pending = [] }
        return pending
    }

    /// Pieces of 5 ms that came to `queue` and are not in the files. It asks the disk, so call it on `queue`, and only
    /// at the end.
    var piecesLost: Int {
        let piece = AudioLimits.recordedPieceSamples
        return piecesLeftOut + (Int(session.samplesLost) + piece - 1) / piece
    }

    /// Writes pieces, and lengthens files that have had no sound. Returns the reason if the disk refuses, now or
    /// before. Call it on `queue`.
    func write(
        _ pieces: [RecordedPiece], until instant: Instant, beating heartbeat: ThreadHeartbeat
    ) -> RecordingEnd? {
        if let refusal {
            piecesLeftOut += pieces.count
            return refusal
        }
        var offered = 0
        do throws(RecordingEnd) {
            for piece in pieces {
                offered += 1
                try session.put(piece)
                heartbeat.beat()
            }
            try session.lengthen(to: instant)
        } catch {
            refusal = error
        }
        piecesLeftOut += pieces.count - offered
        heartbeat.beat()
        return refusal
    }
}

extension RecordingSession {
    fileprivate func put(_ piece: RecordedPiece) throws(RecordingEnd) {
        let refusal = piece.bytes.withUnsafeBytes { bytes -> RecordingEnd? in
            do throws(RecordingEnd) {
                // The memory of an array is aligned for both.
                if let talker = piece.talker {
                    let sound = bytes.assumingMemoryBound(to: Int16.self)
                    try putTrack(sound, of: talker.node, name: talker.name, at: piece.place)
                } else {
                    try putMix(bytes.assumingMemoryBound(to: StereoFrame.self), at: piece.place)
                }
            } catch {
                return error
            }
            return nil
        }
        if let refusal { throw refusal }
    }
}
