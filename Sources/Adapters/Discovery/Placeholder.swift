enum DiscoveryPlaceholder {}
