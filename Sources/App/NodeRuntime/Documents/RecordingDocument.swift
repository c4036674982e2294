/// The recording that runs, or has just ended.
package struct RecordingDocument: Codable, Hashable, Sendable {
    /// Always `partyline.recording/1`.
    package var schema: String
    /// Whether it goes on.
    package var recording: Bool
    /// Its folder; missing where there is none.
    package var folder: String?
    /// Whether every peer has a file of its own.
    package var tracks: Bool
    /// Files so far, the mix counted.
    package var files: Int
    /// Since its start.
    package var seconds: Double?
    /// Pieces of 5 ms that the disk was too slow for, since the node's start; silence stands for them.
    package var piecesLost: Int

    package init(
        schema: String = RecordingDocument.schemaName, recording: Bool, folder: String? = nil, tracks: Bool = false,
        files: Int = 0, seconds: Double? = nil, piecesLost: Int = 0
    ) {
        self.schema = schema
        self.recording = recording
        self.folder = folder
        self.tracks = tracks
        self.files = files
        self.seconds = seconds
        self.piecesLost = piecesLost
    }

    package static let schemaName = "partyline.recording/1"

    private enum CodingKeys: String, CodingKey {
        case schema, recording, folder, tracks, files
        case seconds = "length_s"
        case piecesLost = "pieces_lost"
    }
}

/// What `partyline replay` wrote.
package struct ReplayDocument: Codable, Hashable, Sendable {
    /// Always `partyline.replay/1`.
    package var schema: String
    /// The file.
    package var path: String
    package var seconds: Int

    package init(schema: String = ReplayDocument.schemaName, path: String, seconds: Int) {
        self.schema = schema
        self.path = path
        self.seconds = seconds
    }

    package static let schemaName = "partyline.replay/1"

    private enum CodingKeys: String, CodingKey {
        case schema, path
        case seconds = "length_s"
    }
}
