package import Primitives

/// A frame by which two nodes find out, before HELLO, whether they are of one mesh.
package enum AdmissionMessage: Hashable, Sendable {
    case proof(Proof)
    /// The sender has the secret of an epoch.
    case member(MemberProof)
    case join(JoinStep)
    case grant(MeshGrant)
}

/// The first frame of each side.
package struct Proof: Hashable, Sendable {
    /// 32 random bytes, fresh for each carrier.
    package var nonce: [UInt8]
    package var form: ProofForm
    package var versionMin: UInt32
    package var versionMax: UInt32

    package init(nonce: [UInt8], form: ProofForm, versionMin: UInt32, versionMax: UInt32) {
        self.nonce = nonce
        self.form = form
        self.versionMin = versionMin
        self.versionMax = versionMax
    }
}

/// What a node is to the mesh.
package enum ProofForm: Hashable, Sendable {
    /// A node of an open mesh.
    case open
    /// A member of a closed mesh. A tag of 16 bytes for each secret that it holds, the newest first, one or two.
    case member(tags: [[UInt8]])
    /// A node that has the code of a closed mesh, and no secret yet.
    case newcomer
    /// A node that has the code of a pairing window, and no secret yet.
    case pairing
}

/// Shows that the sender has the secret of an epoch, with the nonces of both PROOFs.
package struct MemberProof: Hashable, Sendable {
    package var epoch: UInt32
    /// 32 bytes.
    package var proof: [UInt8]

    package init(epoch: UInt32, proof: [UInt8]) {
        self.epoch = epoch
        self.proof = proof
    }
}

/// A step of a run of JOIN, which compares two codes. The dialler sends the first and the third.
package enum JoinStep: Hashable, Sendable {
    /// Share of 32 bytes.
    case start(share: [UInt8])
    /// Share of 32 bytes, tag of 64.
    case answer(share: [UInt8], tag: [UInt8])
    /// Tag of 64 bytes.
    case confirm(tag: [UInt8])
}

/// A step of the proof of a channel's code (docs/WIRE.md, "Channels with a code").
package struct ChannelJoin: Hashable, Sendable {
    /// By these 16 bytes a node that has the channel finds out which one is meant.
    package var channelPointer: [UInt8]
    /// Rises with each run that its initiator begins in a session.
    package var run: UInt32
    package var step: JoinStep

    package init(channelPointer: [UInt8], run: UInt32, step: JoinStep) {
        self.channelPointer = channelPointer
        self.run = run
        self.step = step
    }
}

/// The secret of a closed mesh, for a node that has shown its code, or that stays in the mesh.
package struct MeshGrant: Hashable, Sendable {
    package var mesh: MeshID
    /// The name of the mesh, for people.
    package var name: String
    package var epoch: UInt32
    /// 32 bytes.
    package var secret: [UInt8]
    /// The key of the code of the mesh, 32 bytes, with which the receiver can admit others; nil if there is none.
    package var codeKey: [UInt8]?

    package init(mesh: MeshID, name: String, epoch: UInt32, secret: [UInt8], codeKey: [UInt8]?) {
        self.mesh = mesh
        self.name = name
        self.epoch = epoch
        self.secret = secret
        self.codeKey = codeKey
    }
}
