import Primitives

/// The reason why an address that a person wrote is refused.
struct AddressFault: Error {
    /// In words that follow "but"; nil if the text is no address at all.
    let reason: String?

    init(_ reason: String? = nil) { self.reason = reason }
}

extension GivenAddress {
    /// Reads an address as a person writes it, with or without a port. A link-local address may name its interface:
    /// `[fe80::1%eth0]:7400` (RFC 4007 §11).
    ///
    /// - Parameter isOfThisMachine: whether the interface must be one of this machine. If not, the scope says nothing.
    init(typed text: String, isOfThisMachine: Bool) throws(AddressFault) {
        let (unscoped, interface) = try GivenAddress.withoutInterface(text)
        try GivenAddress.refuseUnclearPort(unscoped)
        guard var endpoint = Endpoint(unscoped, defaultPort: ListenChoice.portDefault) else { throw AddressFault() }
        if let interface {
            guard endpoint.isLinkLocalV6 else {
                throw AddressFault("only a link-local address (fe80::/10) has an interface")
            }
            // One that is off, or has no address yet, counts too: a network may come later.
            let index = isOfThisMachine ? GivenAddress.index(ofInterface: interface) : 1
            guard index != 0, !interface.isEmpty else {
                let shown = SafeText(interface, graphemesMax: 40, bytesMax: 160)
                throw AddressFault("this machine has no interface '\(shown)'")
            }
            endpoint.scope = index
        }
        self.init(endpoint, interface: interface)
    }

    /// The text without the interface in it, and the interface; nil if the text names none.
    private static func withoutInterface(_ text: String) throws(AddressFault) -> (text: String, interface: String?) {
        guard let mark = text.firstIndex(of: "%") else { return (text, nil) }
        let name = text[text.index(after: mark)...].prefix { $0 != "]" }
        guard !name.contains(":") else {
            throw AddressFault("the port of an IPv6 address needs brackets around the address: [fe80::1%eth0]:7400")
        }
        return (String(text[..<mark]) + String(text[name.endIndex...]), String(name))
    }

    /// `fd77::4:7400` is an address, but its writer has probably meant port 7400 of `fd77::4`.
    private static func refuseUnclearPort(_ text: String) throws(AddressFault) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
            ListenChoice.ports.contains(port), let address = IPAddress(text[..<colon]), address.v4 == nil
        else { return }
        throw AddressFault("the port of an IPv6 address needs brackets around the address: [\(address)]:\(port)")
    }
}

extension Endpoint {
    fileprivate var isLinkLocalV6: Bool { address.v4 == nil && address.isLinkLocal }

    /// The kind of an address that stands for many machines, with its article; nil if it may be one machine's. Linux
    /// takes 240.0.0.0/4 as addresses of machines.
    private var kindOfMany: String? {
        if address.isMulticast { return "a multicast" }
        return address.v4 == UInt32.max ? "the broadcast" : nil
    }

    /// Why a node does not listen on the address; nil if it may.
    fileprivate var faultOfListening: AddressFault? {
        if let kindOfMany { return AddressFault("no machine has \(address): it is \(kindOfMany) address") }
        guard isLinkLocalV6 else { return nil }
        return AddressFault("a node does not listen on a link-local address alone; [::]:\(port) is every address")
    }

    /// Why no peer can be reached at the address; nil if one may.
    fileprivate var faultOfPeer: AddressFault? {
        if address.isUnspecified { return AddressFault("\(address) stands for every address of a machine") }
        if let kindOfMany { return AddressFault("a peer is one node, and \(address) is \(kindOfMany) address") }
        guard isLinkLocalV6, scope == 0 else { return nil }
        return AddressFault("a link-local address needs its interface, for example [\(address)%eth0]:\(port)")
    }
}

extension SettingsReading {
    /// The addresses of a setting, without those that are refused.
    mutating func addresses(_ key: RunKey) -> [GivenAddress] {
        var list: [GivenAddress] = []
        for value in settings.all(key) {
            do throws(AddressFault) {
                let address = try GivenAddress(typed: value.text, isOfThisMachine: isOfThisMachine)
                let endpoint = address.endpoint
                if let fault = key == .listen ? endpoint.faultOfListening : endpoint.faultOfPeer { throw fault }
                list.append(address)
            } catch {
                refuse(value, of: key, because: error.reason)
            }
        }
        return list
    }
}
