#include "kernels/convert/names.hpp"

namespace pageproof::convert {

std::string kernel_name(const Launch& launch) {
  const char* mode = launch.mode == Mode::out_of_place      ? "out_of_place"
                     : launch.mode == Mode::in_place_staged ? "in_place_staged"
                                                            : "in_place_held";
  return std::string("pageproof_") + mode + "_n" + std::to_string(launch.shape.tokens) + "_d" +
         std::to_string(launch.shape.head_dim) + "_e" + std::to_string(launch.shape.element_bytes);
}

std::string kernel_name(const OrderLaunch& launch) {
  return std::string("pageproof_orders_") + (launch.held ? "held" : "staged") + "_e" +
         std::to_string(launch.element_bytes);
}

}  // namespace pageproof::convert
