extension StatusDocument {
    /// Sound in and out.
    package struct Audio: Codable, Hashable, Sendable {
        /// The device as it was asked for, for example `alsa:default`.
        package var input: String
        /// The device as it was asked for.
        package var output: String
        /// `running`, or a sentence that says which device is away and why; silence stands in for it.
        package var state: String
        /// `ptt`, `latch`, `smart`, `vox` or `open`.
        package var talkMode: String
        /// Whether voice leaves this node now.
        package var talking: Bool
        /// `studio`, `low`, `normal`, `robust` or `powersave`.
        package var profile: String
        /// The playback period in milliseconds.
        package var periodMs: Double?
        /// The playback buffer in milliseconds.
        package var bufferMs: Double?
        /// The length of one Opus frame in milliseconds.
        package var frameMs: Double?
        /// The encoder's target in kilobits per second.
        package var bitrateKbps: Double?
        /// Why frame and target are what they are.
        package var encoderWhy: String?
        /// Blocks that were lost because capture was not read in time.
        package var xrunsCapture: UInt64
        /// Blocks that were missing at play-out.
        package var xrunsPlayback: UInt64
        /// Of the microphone, dB below full scale.
        package var levelInDbfs: Double?
        /// Of the mix, dB below full scale.
        package var levelOutDbfs: Double?
        /// Of the sound card; talkers are spread over two.
        package var outputChannels: Int?
        /// By how much everything is lowered, in dB.
        package var dimDb: Double
        /// The folder of the recording that runs.
        package var recording: String?
        /// Whether the audio threads run in real time, and why not.
        package var realTime: String
        /// What happens to the own voice on its way out.
        package var speaking: Speaking?

        package init(
            input: String, output: String, state: String, talkMode: String, talking: Bool,
            profile: String, periodMs: Double? = nil, bufferMs: Double? = nil,
            frameMs: Double? = nil, bitrateKbps: Double? = nil, encoderWhy: String? = nil, xrunsCapture: UInt64 = 0,
            xrunsPlayback: UInt64 = 0, levelInDbfs: Double? = nil, levelOutDbfs: Double? = nil,
            outputChannels: Int? = nil, dimDb: Double = 0, recording: String? = nil, realTime: String,
            speaking: Speaking? = nil
        ) {
            self.input = input
            self.output = output
            self.state = state
            self.talkMode = talkMode
            self.talking = talking
            self.profile = profile
            self.periodMs = periodMs
            self.bufferMs = bufferMs
            self.frameMs = frameMs
            self.bitrateKbps = bitrateKbps
            self.encoderWhy = encoderWhy
            self.xrunsCapture = xrunsCapture
            self.xrunsPlayback = xrunsPlayback
            self.levelInDbfs = levelInDbfs
            self.levelOutDbfs = levelOutDbfs
            self.outputChannels = outputChannels
            self.dimDb = dimDb
            self.recording = recording
            self.realTime = realTime
            self.speaking = speaking
        }

        private enum CodingKeys: String, CodingKey {
            case input, output, state, talking, profile, recording, speaking
            case talkMode = "talk_mode"
            case periodMs = "period_ms"
            case bufferMs = "buffer_ms"
            case frameMs = "frame_ms"
            case bitrateKbps = "bitrate_kbps"
            case encoderWhy = "encoder_why"
            case xrunsCapture = "xruns_capture"
            case xrunsPlayback = "xruns_playback"
            case levelInDbfs = "level_in_dbfs"
            case levelOutDbfs = "level_out_dbfs"
            case outputChannels = "output_channels"
            case dimDb = "dim_db"
            case realTime = "real_time"
        }
    }
}
