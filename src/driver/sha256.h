// SHA-256, for names in the cache and for the files of bundles.
#pragma once

#include <openssl/sha.h>

#include <string>
#include <string_view>

namespace tilewire::driver {

class Sha256 {
 public:
  static constexpr size_t digest_bytes = SHA256_DIGEST_LENGTH;

  Sha256();
  void add(std::string_view bytes);
  std::string digest();  // the bytes of it; nothing may be added afterwards

 private:
  SHA256_CTX state_;
};

std::string sha256(std::string_view bytes);       // the bytes of the digest
std::string hexadecimal(std::string_view bytes);  // two small letters or digits a byte

}  // namespace tilewire::driver
