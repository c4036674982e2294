import CAvahi
import Primitives

/// All calls to Avahi's objects, and the callbacks from Avahi. Everything here runs on the session's thread.
final class AvahiWork {
    private static let serviceType = "_partyline._udp"

    private let poll: OpaquePointer
    private let tell: @Sendable (AvahiSession.News) -> Void
    private let isStopping: () -> Bool
    private var client: OpaquePointer?
    private var group: OpaquePointer?
    private var browser: OpaquePointer?
    private var services = ServiceQueue()
    private var announcement: ServiceAnnouncement?
    private var name = ""
    private var collisions = 0
    private var isRunning = false
    /// The reason why the session must end, for `status`; nil while there is none.
    private(set) var failure: String?

    /// - Parameter isStopping: whether the session should end, which no work may delay.
    init(
        poll: OpaquePointer, tell: @escaping @Sendable (AvahiSession.News) -> Void, isStopping: @escaping () -> Bool
    ) {
        self.poll = poll
        self.tell = tell
        self.isStopping = isStopping
    }

    /// Connects to the system bus. If that fails, returns false and sets `failure`.
    func connect() -> Bool {
        var code: CInt = 0
        let made = avahi_client_new(
            avahi_simple_poll_get(poll), AVAHI_CLIENT_NO_FAIL, onClientChange, pointerToSelf, &code)
        client = made
        if made == nil { fail(code) }
        return made != nil && failure == nil
    }

    /// Frees the client, and with it group, browser and resolvers.
    func disconnect() {
        if let client { avahi_client_free(client) }
        client = nil
    }

    /// Publishes the service, or withdraws it if `announcement` is nil.
    func publish(_ announcement: ServiceAnnouncement?) {
        self.announcement = announcement
        guard let announcement else {
            if let group { avahi_entry_group_reset(group) }
            return
        }
        name = announcement.name
        collisions = 0
        register()
    }

    private var pointerToSelf: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private func fail(_ code: CInt) {
        failure = failure ?? AvahiWork.text(code)
        avahi_simple_poll_quit(poll)
    }

    /// Avahi reports "Daemon not running" also if there is no system bus. With AVAHI_CLIENT_NO_FAIL it waits for a
    /// missing daemon, so this error can only mean that the bus is missing.
    private static func text(_ code: CInt) -> String {
        switch code {
        case CInt(AVAHI_ERR_NO_DAEMON), CInt(AVAHI_ERR_DBUS_ERROR): "no system bus"
        case CInt(AVAHI_ERR_DISCONNECTED): "Avahi daemon lost"
        default: avahi_strerror(code).map { "Avahi: " + String(cString: $0) } ?? "Avahi error \(code)"
        }
    }
}

// MARK: - The client

extension AvahiWork {
    fileprivate func clientChanged(_ client: OpaquePointer?, _ state: AvahiClientState) {
        // The first call comes from within avahi_client_new.
        self.client = client
        isRunning = state == AVAHI_CLIENT_S_RUNNING
        switch state {
        case AVAHI_CLIENT_S_RUNNING:
            tell(.running)
            browse()
            register()
        case AVAHI_CLIENT_S_COLLISION, AVAHI_CLIENT_S_REGISTERING:
            if let group { avahi_entry_group_reset(group) }
        case AVAHI_CLIENT_CONNECTING:
            tell(.connecting)
        case AVAHI_CLIENT_FAILURE:
            fail(avahi_client_errno(client))
        default:
            break
        }
    }
}

// MARK: - Publishing

extension AvahiWork {
    private func register() {
        guard isRunning, let client, let announcement else { return }
        if group == nil { group = avahi_entry_group_new(client, onGroupChange, pointerToSelf) }
        guard let group else { return fail(avahi_client_errno(client)) }
        avahi_entry_group_reset(group)
        var texts: OpaqueStringList?
        for entry in announcement.text.entries.reversed() {
            texts = avahi_string_list_add_arbitrary(texts, entry, entry.count)
        }
        defer { avahi_string_list_free(texts) }
        while true {
            let code = avahi_entry_group_add_service_strlst(
                group, AvahiWork.anyInterface, AvahiWork.anyProtocol, AvahiPublishFlags(rawValue: 0), name,
                AvahiWork.serviceType, nil, nil, announcement.port, texts)
            if code == CInt(AVAHI_ERR_COLLISION), takeAlternativeName() { continue }
            guard code == 0 else { return fail(code) }
            break
        }
        let committed = avahi_entry_group_commit(group)
        if committed < 0 { fail(committed) }
    }

    /// Changes `name` to an alternative one. Returns false after `DiscoveryLimits.nameCollisionsMax` collisions: then
    /// somebody probably takes the names on purpose.
    private func takeAlternativeName() -> Bool {
        collisions += 1
        guard collisions <= DiscoveryLimits.nameCollisionsMax,
            let alternative = avahi_alternative_service_name(name)
        else { return false }
        name = String(cString: alternative)
        avahi_free(alternative)
        return true
    }

    fileprivate func groupChanged(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            tell(.published(name))
        case AVAHI_ENTRY_GROUP_COLLISION:
            if takeAlternativeName() { register() } else { fail(CInt(AVAHI_ERR_COLLISION)) }
        case AVAHI_ENTRY_GROUP_FAILURE:
            fail(client.map { avahi_client_errno($0) } ?? CInt(AVAHI_ERR_FAILURE))
        default:
            break
        }
    }
}

// MARK: - Browsing

extension AvahiWork {
    private typealias OpaqueStringList = UnsafeMutablePointer<AvahiStringList>

    private static var anyInterface: AvahiIfIndex { AvahiIfIndex(AVAHI_IF_UNSPEC) }
    private static var anyProtocol: AvahiProtocol { AvahiProtocol(AVAHI_PROTO_UNSPEC) }

    private func browse() {
        guard browser == nil, let client else { return }
        browser = avahi_service_browser_new(
            client, AvahiWork.anyInterface, AvahiWork.anyProtocol, AvahiWork.serviceType, nil,
            AvahiLookupFlags(rawValue: 0), onBrowse, pointerToSelf)
        if browser == nil { fail(avahi_client_errno(client)) }
    }

    fileprivate func found(_ service: ServiceQueue.Found) {
        if services.add(service) != nil { tell(.serviceDropped) }
        resolve()
    }

    fileprivate func lost(_ service: ServiceQueue.Found) { services.remove(service) }

    /// A failed browser reports no service any more, so the session ends, and the next one has a new browser.
    fileprivate func browserFailed() { fail(client.map { avahi_client_errno($0) } ?? CInt(AVAHI_ERR_FAILURE)) }

    private func resolve() {
        // Each resolver is a call to D-Bus, which may take long.
        while !isStopping(), let client, let next = services.takeNext() {
            let resolver = avahi_service_resolver_new(
                client, next.interface, next.family, next.name, AvahiWork.serviceType, next.domain, next.family,
                AvahiLookupFlags(rawValue: 0), onResolve, pointerToSelf)
            // An error of the bus would meet the next service too. The next event goes on.
            if resolver == nil { return unresolved(next) }
        }
    }

    fileprivate func resolutionFailed(_ resolver: OpaquePointer?, _ service: ServiceQueue.Found) {
        if let resolver { avahi_service_resolver_free(resolver) }
        unresolved(service)
        resolve()
    }

    private func unresolved(_ service: ServiceQueue.Found) {
        if services.fail(service) != nil { tell(.serviceDropped) }
    }

    fileprivate func resolved(
        _ resolver: OpaquePointer?, _ service: ServiceQueue.Found, _ address: UnsafePointer<AvahiAddress>?,
        port: UInt16, texts: UnsafeMutablePointer<AvahiStringList>?
    ) {
        services.finish(service)
        if let resolver { avahi_service_resolver_free(resolver) }
        defer { resolve() }
        guard let address, 0 < port, 0 < service.interface, let text = ServiceText(entries: AvahiWork.entries(texts)),
            let ip = AvahiWork.address(address)
        else { return }
        let index = UInt32(service.interface)
        let isScoped = ip.v4 == nil && ip.isLinkLocal
        let endpoint = Endpoint(address: ip, port: port, scope: isScoped ? index : 0)
        tell(.service(DiscoveredService(text: text, endpoint: endpoint, interfaceIndex: index)))
    }

    private static func address(_ raw: UnsafePointer<AvahiAddress>) -> IPAddress? {
        var text = [CChar](repeating: 0, count: 64)
        guard avahi_address_snprint(&text, text.count, raw) != nil else { return nil }
        return IPAddress(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    private static func entries(_ first: UnsafeMutablePointer<AvahiStringList>?) -> [[UInt8]] {
        var entries: [[UInt8]] = []
        var next = first
        while let list = next, entries.count < DiscoveryLimits.textEntriesMax {
            let bytes = UnsafeBufferPointer(
                start: avahi_string_list_get_text(list), count: avahi_string_list_get_size(list))
            entries.append(Array(bytes.prefix(DiscoveryLimits.textEntryBytesMax)))
            next = avahi_string_list_get_next(list)
        }
        return entries
    }
}

// MARK: - From C

private func avahiWork(_ pointer: UnsafeMutableRawPointer?) -> AvahiWork? {
    pointer.map { Unmanaged<AvahiWork>.fromOpaque($0).takeUnretainedValue() }
}

private let onClientChange: AvahiClientCallback = { client, state, pointer in
    avahiWork(pointer)?.clientChanged(client, state)
}

private let onGroupChange: AvahiEntryGroupCallback = { _, state, pointer in
    avahiWork(pointer)?.groupChanged(state)
}

private let onBrowse: AvahiServiceBrowserCallback = {
    _, interface, family, event, name, _, domain, flags, pointer in
    guard let work = avahiWork(pointer) else { return }
    // This event names no service.
    if event == AVAHI_BROWSER_FAILURE { return work.browserFailed() }
    guard let name, let domain else { return }
    let service = ServiceQueue.Found(
        name: String(cString: name), domain: String(cString: domain), interface: interface, family: family)
    switch event {
    case AVAHI_BROWSER_NEW where flags.rawValue & AVAHI_LOOKUP_RESULT_OUR_OWN.rawValue == 0:
        work.found(service)
    case AVAHI_BROWSER_REMOVE:
        work.lost(service)
    default:
        break
    }
}

private let onResolve: AvahiServiceResolverCallback = {
    resolver, interface, family, event, name, _, domain, _, address, port, texts, _, pointer in
    guard let work = avahiWork(pointer), let name, let domain else { return }
    let service = ServiceQueue.Found(
        name: String(cString: name), domain: String(cString: domain), interface: interface, family: family)
    guard event == AVAHI_RESOLVER_FOUND else { return work.resolutionFailed(resolver, service) }
    work.resolved(resolver, service, address, port: port, texts: texts)
}
