package import Primitives
import Wire

/// The secret of one epoch of a closed mesh. A node with it is a member.
package struct EpochSecret: Hashable, Sendable {
    package static let byteCount = 32

    /// At least 1. A change of the code makes the next epoch.
    package let number: UInt32
    package let bytes: [UInt8]

    /// Nil unless the number is at least 1 and there are 32 bytes.
    package init?(number: UInt32, bytes: [UInt8]) {
        guard 1 <= number, bytes.count == EpochSecret.byteCount else { return nil }
        self.number = number
        self.bytes = bytes
    }
}

extension EpochSecret: CustomStringConvertible {
    package var description: String { "epoch \(number) (hidden)" }
}

/// The keys that follow from the secret of an epoch, and what they show (docs/WIRE.md, "Admission").
package struct EpochKeys: Sendable {
    package let number: UInt32
    private let memberKey: [UInt8]
    private let tagKey: [UInt8]
    /// AES-128 key of the records in beacons.
    let recordKey: [UInt8]

    /// HKDF-SHA256 (RFC 5869) with the mesh id as the salt.
    package init(of secret: EpochSecret, in mesh: MeshID, with sealing: any Sealing) {
        number = secret.number
        let extracted = sealing.keyedHash(secret.bytes, key: mesh.bytes)
        func expanded(_ label: String, byteCount: Int) -> [UInt8] {
            let info = Array(label.utf8) + EpochKeys.bytes(of: secret.number)
            return sealing.expanded(extracted, info: info, byteCount: byteCount)
        }
        memberKey = expanded("partyline/1 member", byteCount: 32)
        tagKey = expanded("partyline/1 tag", byteCount: 32)
        recordKey = expanded("partyline/1 beacon", byteCount: 16)
    }

    /// Whether both follow from one secret: two epochs can have one number.
    package func isSame(as other: EpochKeys) -> Bool {
        number == other.number && memberKey.isEqualInConstantTime(to: other.memberKey)
    }

    /// Returns the tag that a PROOF with this nonce carries: 16 bytes, by which another member finds the epoch. Nobody
    /// else can tell two tags of one node apart from those of two nodes.
    package func proofTag(nonce: [UInt8], of node: NodeID, with sealing: any Sealing) -> [UInt8] {
        tag(Array("partyline/1 proof".utf8) + nonce + node.bytes, with: sealing)
    }

    /// Returns the tag of a beacon: 16 bytes.
    package func beaconTag(port: UInt16, salt: [UInt8], with sealing: any Sealing) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.raw("partyline/1 beacon".utf8)
        writer.u16(port)
        writer.raw(salt)
        return tag(writer.bytes, with: sealing)
    }

    /// Returns the proof of membership by one side of a carrier: 32 bytes.
    package func memberProof(of side: CarrierSide, on ends: CarrierEnds, with sealing: any Sealing) -> [UInt8] {
        let message =
            Array("partyline/1 member".utf8) + [side.rawValue] + ends.nodes + ends.nonces
            + EpochKeys.bytes(of: number)
        return sealing.keyedHash(message, key: memberKey)
    }

    private func tag(_ message: [UInt8], with sealing: any Sealing) -> [UInt8] {
        Array(sealing.keyedHash(message, key: tagKey).prefix(EpochTag.byteCount))
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        var writer = ByteWriter(capacity: 4)
        writer.u32(number)
        return writer.bytes
    }
}

/// Size of the tags of an epoch.
package enum EpochTag {
    package static let byteCount = 16
}

extension Sealing {
    /// HKDF-Expand (RFC 5869 §2.3) with SHA-256.
    /// - Precondition: 1 to 32 bytes, which is one block.
    fileprivate func expanded(_ pseudoRandomKey: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
        precondition(1 <= byteCount && byteCount <= 32, "\(byteCount) bytes of one block")
        return Array(keyedHash(info + [1], key: pseudoRandomKey).prefix(byteCount))
    }
}

extension [UInt8] {
    /// Whether two secrets are equal. The time that it takes does not tell where they differ.
    package func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for (own, others) in zip(self, other) { difference |= own ^ others }
        return difference == 0
    }
}
