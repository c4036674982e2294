enum TrustCryptoPlaceholder {}
