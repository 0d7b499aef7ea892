// How a failure reads, everywhere the same: what was claimed, the smallest example, what was expected and
// what came, and the command that shows it again.
#pragma once

#include <string>

namespace pageproof {

struct Failure {
  std::string name;      // "converter.out_of_place_matches_oracle"
  std::string claim;     // the claim in a sentence
  std::string example;   // "H=1 N=16 D=128 e=2   block=3 side=V head=0 token=7 dim=65"
  std::string expected;  // "0x41"
  std::string got;       // "0x00"
  std::string replay;    // a command line
};

//  REFUTED   halves.first_half_is_k
//  Claim     byte o < S of a standard page belongs to side K
//  Example   H=1 N=16 D=128 e=2   head=0 token=0 side=V dim=0   standard offset 256 B
//  Expected  second half          Got  first half (256 < 4096)
//  Replay    pageproof fuzz ...
std::string to_string(const Failure& failure);

}  // namespace pageproof
