// What the kernels of the code objects are called. Apart from launch.hpp, which compilers of kernels read,
// too.
#pragma once

#include <string>

#include "kernels/convert/launch.hpp"
#include "kernels/convert/orders/orders_launch.hpp"

namespace pageproof::convert {

// "pageproof_in_place_staged_n16_d128_e2": the kernel that a launch runs.
std::string kernel_name(const Launch& launch);
// "pageproof_orders_staged_e1"
std::string kernel_name(const OrderLaunch& launch);

}  // namespace pageproof::convert
