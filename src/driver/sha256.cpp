// Not EVP_Digest: it reads OpenSSL's settings and sets up its providers on its first call, about a
// millisecond of every start.
#define OPENSSL_SUPPRESS_DEPRECATED  // of SHA256_Init and its like
#include "driver/sha256.h"

namespace tilewire::driver {

Sha256::Sha256() {
  SHA256_Init(&state_);
}

void Sha256::add(std::string_view bytes) {
  SHA256_Update(&state_, bytes.data(), bytes.size());
}

std::string Sha256::digest() {
  std::string bytes(digest_bytes, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(bytes.data()), &state_);
  return bytes;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digest();
}

std::string hexadecimal(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    text += {digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

}  // namespace tilewire::driver
