// The link into one decoder: reads are posted, then share the wire evenly, or go one after another. A fair
// wire is a clock of bytes that each read in flight has got so far: a read that enters at v with n bytes
// leaves at v + n, whoever else comes and goes.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "model/serving/deployment.hpp"
#include "model/serving/refusal.hpp"

namespace pageproof::serving {

class Wire {
 public:
  Wire(const Link& link, bool shared) : link_(link), shared_(shared) {}

  // A read begins. Returns when its last descriptor is posted. @pre now is not before any other call's
  double begin(double now, std::uint64_t request, const ReadCost& cost);

  double next_event() const { return upcoming_; }  // infinity where nothing is in flight
  // Everything up to `now`; answers with the reads that ended, in order, each with its time.
  void advance(double now, std::vector<std::pair<double, std::uint64_t>>& ended);

 private:
  struct Posting {
    double at;
    std::uint64_t order, request;
    double bytes;
    bool operator>(const Posting& o) const { return std::pair(at, order) > std::pair(o.at, o.order); }
  };
  struct Flow {
    double leaves;  // on the clock of bytes
    std::uint64_t order, request;
    bool operator>(const Flow& o) const { return std::pair(leaves, order) > std::pair(o.leaves, o.order); }
  };
  template <class T>
  using Soonest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  double flow_end() const;
  void set_upcoming();

  Link link_;
  bool shared_;
  Soonest<Posting> postings_;  // serial: reads by their end; fair: by the end of posting
  Soonest<Flow> flows_;
  double now_ = 0;
  double clock_ = 0;  // bytes each flow has got
  double free_ = 0;   // serial: when the wire is free
  std::uint64_t begun_ = 0;
  double upcoming_ = kNever;
};

}  // namespace pageproof::serving
