#include "media_cipher.h"
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stddef.h>

static EVP_CIPHER_CTX *context_of(media_cipher *cipher) { return (EVP_CIPHER_CTX *)cipher; }

media_cipher *media_cipher_new(const uint8_t *key) {
    // The openssl.cnf of this machine could replace the cipher or break it, so it is not read.
    if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL)) return NULL;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context) return NULL;
    // GCM uses the expanded key in the same way in both directions, so each datagram may choose its own.
    if (!EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), NULL, key, NULL)) {
        EVP_CIPHER_CTX_free(context);
        return NULL;
    }
    return (media_cipher *)context;
}

void media_cipher_free(media_cipher *cipher) { EVP_CIPHER_CTX_free(context_of(cipher)); }

int media_cipher_seal(
    media_cipher *cipher, const uint8_t *nonce, const uint8_t *additional, int additional_count, uint8_t *bytes,
    int count) {
    EVP_CIPHER_CTX *context = context_of(cipher);
    int written;
    return EVP_EncryptInit_ex(context, NULL, NULL, NULL, nonce) &&
           (additional_count == 0 || EVP_EncryptUpdate(context, NULL, &written, additional, additional_count)) &&
           (count == 0 || EVP_EncryptUpdate(context, bytes, &written, bytes, count)) &&
           EVP_EncryptFinal_ex(context, bytes + count, &written) &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, MEDIA_CIPHER_TAG_BYTES, bytes + count) > 0;
}

int media_cipher_open(
    media_cipher *cipher, const uint8_t *nonce, const uint8_t *additional, int additional_count, const uint8_t *sealed,
    int count, uint8_t *plaintext) {
    EVP_CIPHER_CTX *context = context_of(cipher);
    int written;
    // OpenSSL only reads the tag, although the parameter is not const.
    void *tag = (void *)(sealed + count);
    uint8_t rest[EVP_MAX_BLOCK_LENGTH];
    if (!EVP_DecryptInit_ex(context, NULL, NULL, NULL, nonce) ||
        (additional_count != 0 && !EVP_DecryptUpdate(context, NULL, &written, additional, additional_count)) ||
        (count != 0 && !EVP_DecryptUpdate(context, plaintext, &written, sealed, count)) ||
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, MEDIA_CIPHER_TAG_BYTES, tag) <= 0)
        return -1;
    return EVP_DecryptFinal_ex(context, rest, &written) > 0;
}

const char *media_cipher_refusal(void) {
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason ? reason : "no reason given";
}
