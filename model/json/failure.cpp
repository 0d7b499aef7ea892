#include "model/json/failure.hpp"

#include <nlohmann/json.hpp>

namespace pageproof {

nlohmann::ordered_json json_of(const Failure& failure) {
  return {{"name", failure.name},         {"claim", failure.claim}, {"example", failure.example},
          {"expected", failure.expected}, {"got", failure.got},     {"replay", failure.replay}};
}

}  // namespace pageproof
