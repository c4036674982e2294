import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

@Suite("Vectors of codes and mesh secrets")
struct CodeVectorTests {
    private let sodium = SodiumCode()

    @Test("CPace: CPACE-RISTR255-SHA512 of draft-irtf-cfrg-cpace-21")
    func cpace() throws {
        let values = try VectorFile.values("cpace-ristretto255.hex")
        let value = { (name: String) in try #require(values[name]) }
        let run = CodeRun(sessionID: try value("sid"), channelIdentifier: try value("CI"))
        let exchange = CodeExchange(run, codeKey: try value("PRS"))
        #expect(try exchange.generatorString == value("generator_string"))
        #expect(try exchange.generator(with: sodium) == value("g"))
        #expect(try exchange.share(scalar: value("ya"), with: sodium) == value("Ya"))
        #expect(try exchange.share(scalar: value("yb"), with: sodium) == value("Yb"))
        #expect(try sodium.product(of: value("ya"), value("Yb")) == value("K"))
        #expect(try sodium.product(of: value("yb"), value("Ya")) == value("K"))
        let key = exchange.sharedKey(
            of: try value("K"), initiatorShare: try value("Ya"), initiatorData: try value("ADa"),
            responderShare: try value("Yb"), responderData: try value("ADb"), with: sodium)
        #expect(try key == value("ISK_IR"))
        #expect(try sodium.product(of: value("scalar"), value("X")) == value("product"))
        for name in ["invalid_1", "invalid_2"] { #expect(try sodium.product(of: value("scalar"), value(name)) == nil) }
    }

    @Test("lengths in LEB128 (the same draft, prepend_len)")
    func lengths() {
        #expect(LengthValue.encoded([] as [UInt8]) == [0])
        #expect(LengthValue.encoded(Array("1234".utf8)) == [4, 0x31, 0x32, 0x33, 0x34])
        let bytes = (0..<128).map { UInt8($0) }
        #expect(LengthValue.encoded(Array(bytes.dropLast())) == [0x7F] + bytes.dropLast())
        #expect(LengthValue.encoded(bytes) == [0x80, 0x01] + bytes)
    }

    @Test("HMAC-SHA-512 (RFC 4231, test case 2)")
    func keyedHash() {
        let tag = sodium.keyedHash512(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(tag.prefix(8) == [0x16, 0x4B, 0x7A, 0x7B, 0xFC, 0xF8, 0x19, 0xE2])
        #expect(tag.suffix(4) == [0x38, 0xBC, 0xE7, 0x37])
    }

    @Test("the key of a code, and what follows from the secret of an epoch")
    func secrets() throws {
        let values = try VectorFile.values("mesh-secrets.hex")
        let value = { (name: String) in try #require(values[name]) }
        let sealing = Provider.real.make(1)
        #expect(try CodeSalt.ofMesh(.mesh, with: sealing) == value("code_salt"))
        let code = try #require(FoldedCode(" Kite oven, LAMP river"))
        #expect(try code.bytes == value("code"))
        let codeKey = try #require(sodium.codeKey(of: code, salt: value("code_salt")))
        #expect(try codeKey == value("code_key"))

        let mesh = try MeshID(high: value("mesh").word(at: 0), low: value("mesh").word(at: 8))
        let keys = EpochKeys(
            of: try #require(EpochSecret(number: 7, bytes: value("secret"))), in: mesh, with: sealing)
        let ends = CarrierEnds(
            dialler: try #require(NodeID(value("dialler"))), acceptor: try #require(NodeID(value("acceptor"))),
            diallerNonce: try value("dialler_nonce"), acceptorNonce: try value("acceptor_nonce"))
        #expect(
            try keys.proofTag(nonce: ends.diallerNonce, of: ends.dialler, with: sealing) == value("proof_tag"))
        #expect(try keys.memberProof(of: .dialler, on: ends, with: sealing) == value("member_proof_dialler"))
        #expect(try keys.memberProof(of: .acceptor, on: ends, with: sealing) == value("member_proof_acceptor"))
        #expect(try keys.beaconTag(port: 7_400, salt: value("salt"), with: sealing) == value("beacon_tag"))

        let run = CodeRun(on: ends, newcomer: .dialler, by: .mesh, with: sealing)
        #expect(try run == CodeRun(sessionID: value("join_sid"), channelIdentifier: value("join_ci")))
        #expect(try CodeExchange(run, codeKey: codeKey).generatorString == value("join_generator_string"))
    }

    @Test("a sealed beacon")
    func beacon() throws {
        let values = try VectorFile.values("mesh-secrets.hex")
        let value = { (name: String) in try #require(values[name]) }
        let sealing = Provider.real.make(1)
        let mesh = try MeshID(high: value("mesh").word(at: 0), low: value("mesh").word(at: 8))
        let keys = EpochKeys(
            of: try #require(EpochSecret(number: 7, bytes: value("secret"))), in: mesh, with: sealing)
        let record = SignedRecord(
            publicKey: try value("record_public_key"), body: try value("record_body"),
            signature: try value("record_signature"))
        let beacon = SealedBeacon(
            record, port: 7_400, salt: try value("salt"), nonce: try value("nonce"), keys: keys, with: sealing)
        #expect(try beacon.encoded() == value("sealed_beacon"))
        #expect(try beacon.opened(by: keys, with: sealing) == record)
    }
}
