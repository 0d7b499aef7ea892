// The cases of gpu_orders_test.cpp, for gpu_test's program.
#pragma once

namespace pageproof::tests {

// How many cases came out wrong, each with a line on stdout. @pre an NVIDIA device is there
int wrong_orders_on_the_device();

}  // namespace pageproof::tests
