// A failure as every JSON document of this project writes it: the fields of Failure under their own names.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/page/plain/failure.hpp"

namespace pageproof {

nlohmann::ordered_json json_of(const Failure& failure);

}  // namespace pageproof
