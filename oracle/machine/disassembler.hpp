// LLVM's disassembler for one AMD target, opened at run time: a build made where LLVM 22 is installed also
// starts where it is not, and only this room then says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "model/page/plain/error.hpp"

namespace pageproof::machine {

class Disassembler {
 public:
  // Refused where libLLVM is missing or does not know the target.
  static Expected<Disassembler> of(const std::string& target);

  struct Line {
    std::uint32_t bytes = 0;  // 0: no instruction begins here
    std::string text;         // "v_perm_b32 v3, v1, v2, s4"
  };
  Line at(std::span<const std::byte> code) const;

 private:
  explicit Disassembler(std::shared_ptr<void> opened) : context(std::move(opened)) {}
  std::shared_ptr<void> context;
};

}  // namespace pageproof::machine
