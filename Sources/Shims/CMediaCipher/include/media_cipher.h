// AES-128-GCM of OpenSSL's libcrypto with one key. It also seals the records in beacons.
//
// OpenSSL's names stay in media_cipher.c. Swift must not see them, because the headers of BoringSSL, which comes with
// swift-nio-ssl, declare types of the same names.
#pragma once
#include <stdint.h>

enum { MEDIA_CIPHER_KEY_BYTES = 16, MEDIA_CIPHER_NONCE_BYTES = 12, MEDIA_CIPHER_TAG_BYTES = 16 };

// Keeps the expanded key, so that only the nonce changes from one datagram to the next. One thread at a time uses it.
typedef struct media_cipher media_cipher;

// Makes a cipher, with a copy of the key. NULL if OpenSSL refuses.
media_cipher *media_cipher_new(const uint8_t *key);

// Wipes its key, and frees the cipher.
void media_cipher_free(media_cipher *cipher);

// Encrypts `count` bytes where they are, and writes the tag behind them. Returns 1, or 0 if OpenSSL refuses.
int media_cipher_seal(
    media_cipher *cipher, const uint8_t *nonce, const uint8_t *additional, int additional_count, uint8_t *bytes,
    int count);

// Decrypts `count` bytes, which the tag follows, into `plaintext`. Returns 1; 0 if the tag is wrong, and then
// `plaintext` must not be used; -1 if OpenSSL refuses.
int media_cipher_open(
    media_cipher *cipher, const uint8_t *nonce, const uint8_t *additional, int additional_count, const uint8_t *sealed,
    int count, uint8_t *plaintext);

// OpenSSL's reason for the latest refusal on this thread: a constant string.
const char *media_cipher_refusal(void);
