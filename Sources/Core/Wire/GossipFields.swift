import Primitives

/// Fields of records, connect requests, versions, link states and channels, checked one by one.

extension PBSignedRecord {
    init(_ record: SignedRecord) {
        precondition(record.hasValidSizes, "a record of \(record.body.count) bytes")
        self.init()
        publicKey = record.publicKey.field
        body = record.body.field
        signature = record.signature.field
    }
}

extension SignedRecord {
    init(_ fields: PBSignedRecord) throws(WireError) {
        guard fields.body.count <= WireLimits.recordBytesMax else { throw .oversized }
        guard !fields.body.isEmpty else { throw .malformed }
        self.init(
            publicKey: try fields.publicKey.array(count: WireSizes.publicKeyBytes), body: fields.body.array,
            signature: try fields.signature.array(count: WireSizes.signatureBytes))
    }
}

extension PBConnectRequest {
    init(_ connectRequest: SignedConnectRequest) {
        self.init()
        record = PBSignedRecord(connectRequest.record)
        leader = connectRequest.leader.bytes.field
        sequence = connectRequest.sequence
        signature = connectRequest.signature.field
    }
}

extension SignedConnectRequest {
    init(_ fields: PBConnectRequest) throws(WireError) {
        guard fields.hasRecord, fields.hasSequence else { throw .malformed }
        self.init(
            record: try SignedRecord(fields.record), leader: try NodeID(field: fields.leader.array),
            sequence: fields.sequence, signature: try fields.signature.array(count: WireSizes.signatureBytes))
    }
}

extension PBRecords {
    init(_ list: [SignedRecord]) {
        precondition(list.count <= WireLimits.recordsPerFrameMax, "\(list.count) records in a frame")
        self.init()
        records = list.map { PBSignedRecord($0) }
    }

    func checked() throws(WireError) -> [SignedRecord] {
        guard records.count <= WireLimits.recordsPerFrameMax else { throw .oversized }
        var list: [SignedRecord] = []
        for fields in records { list.append(try SignedRecord(fields)) }
        return list
    }
}

extension PBRecordVersions {
    init(_ list: [NodeVersion]) {
        precondition(list.count <= WireLimits.recordVersionsPerFrameMax, "\(list.count) versions in a frame")
        self.init()
        versions = list.map { entry in
            var fields = PBNodeVersion()
            fields.node = entry.node.bytes.field
            fields.instance = entry.version.instance.number
            fields.sequence = entry.version.sequence
            fields.seenSecondsAgo = UInt32(entry.seenSecondsAgo)
            return fields
        }
    }

    func checked() throws(WireError) -> [NodeVersion] {
        guard versions.count <= WireLimits.recordVersionsPerFrameMax else { throw .oversized }
        var list: [NodeVersion] = []
        list.reserveCapacity(versions.count)
        for fields in versions { list.append(try NodeVersion(fields)) }
        return list
    }
}

extension NodeVersion {
    fileprivate init(_ fields: PBNodeVersion) throws(WireError) {
        guard fields.hasInstance, fields.hasSequence, fields.hasSeenSecondsAgo else { throw .malformed }
        guard let secondsAgo = UInt16(exactly: fields.seenSecondsAgo) else { throw .outOfRange }
        self.init(
            node: try NodeID(field: fields.node.array),
            version: RecordVersion(instance: try Instance(field: fields.instance), sequence: fields.sequence),
            seenSecondsAgo: secondsAgo)
    }
}

extension PBLinkStates {
    init(_ list: [AdvertisedLink], generation: UInt16) {
        precondition(list.count <= WireLimits.linkStatesMax, "\(list.count) link states")
        precondition(generation != 0, "link states without a generation")
        self.init()
        entries = list.map { PBAdvertisedLink($0) }
        self.generation = UInt32(generation)
    }

    func checked() throws(WireError) -> ([AdvertisedLink], generation: UInt16) {
        guard entries.count <= WireLimits.linkStatesMax else { throw .oversized }
        guard hasGeneration else { throw .malformed }
        guard let generation = UInt16(exactly: generation), generation != 0 else { throw .outOfRange }
        var list: [AdvertisedLink] = []
        for fields in entries { list.append(try AdvertisedLink(fields)) }
        return (list, generation)
    }
}

extension PBAdvertisedLink {
    fileprivate init(_ entry: AdvertisedLink) {
        self.init()
        peer = entry.peer.bytes.field
        instance = entry.instance.number
        path = UInt32(entry.path.rawValue)
        rttClass = UInt32(min(WireLimits.linkStateRTTClassMax, entry.rttClass))
        lossClass = UInt32(min(WireLimits.linkStateLossClassMax, entry.lossClass))
    }
}

extension AdvertisedLink {
    fileprivate init(_ fields: PBAdvertisedLink) throws(WireError) {
        guard fields.hasInstance, fields.hasPath, fields.hasRttClass, fields.hasLossClass else { throw .malformed }
        guard let path = UInt8(exactly: fields.path).flatMap(PathKind.init),
            let rttClass = UInt8(exactly: fields.rttClass), rttClass <= WireLimits.linkStateRTTClassMax,
            let lossClass = UInt8(exactly: fields.lossClass), lossClass <= WireLimits.linkStateLossClassMax
        else { throw .outOfRange }
        self.init(
            peer: try NodeID(field: fields.peer.array), instance: try Instance(field: fields.instance), path: path,
            rttClass: rttClass, lossClass: lossClass)
    }
}

extension PBChannels {
    init(_ list: [ChannelID], talks: [ChannelID], generation: UInt8) {
        precondition(list.count <= WireLimits.channelsListenedMax, "\(list.count) channels")
        precondition(talks.count <= WireLimits.channelsTalkedMax, "\(talks.count) channels to talk on")
        precondition(generation != 0, "channels without a generation")
        self.init()
        self.generation = UInt32(generation)
        channels = list.map(\.bytesOnWire.field)
        self.talks = talks.map(\.bytesOnWire.field)
    }

    func checked() throws(WireError) -> ([ChannelID], talks: [ChannelID], generation: UInt8) {
        guard channels.count <= WireLimits.channelsListenedMax, talks.count <= WireLimits.channelsTalkedMax else {
            throw .oversized
        }
        guard hasGeneration else { throw .malformed }
        guard let generation = UInt8(exactly: generation), generation != 0 else { throw .outOfRange }
        var list: [ChannelID] = []
        for field in channels + talks {
            let channel = try ChannelID(onWire: field.array(count: WireSizes.channelIDBytes))
            guard !list.contains(channel) else { throw .malformed }
            list.append(channel)
        }
        return (Array(list[..<channels.count]), Array(list[channels.count...]), generation)
    }
}

extension ChannelID {
    /// The field on the wire: 16 bytes.
    var bytesOnWire: [UInt8] {
        var writer = ByteWriter(capacity: WireSizes.channelIDBytes)
        writer.channel(self)
        return writer.bytes
    }

    fileprivate init(onWire bytes: [UInt8]) throws(WireError) {
        var reader = ByteReader(bytes)
        self.init(high: try reader.u64(), low: try reader.u64())
    }
}

extension NodeID {
    fileprivate init(field: [UInt8]) throws(WireError) {
        guard let node = NodeID(field) else { throw .malformed }
        self = node
    }
}
