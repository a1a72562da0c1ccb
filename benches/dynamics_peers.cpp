// Time of Pinocchio's dynamics without a binding; benches/dynamics_peers_cpp.py compiles and calls it.
//
//     dynamics_peers MODEL QUANTITY ROUNDS
//
// prints the least of the rounds of the time per call, ns. MODEL is a file of pinocchio.Model.saveToText.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/serialization.hpp>

namespace {

constexpr int STATES = 256;
constexpr int LAPS = 20;

double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

template <typename Call> double least_of(int rounds, Call call) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double begin = now_ns();
    for (int lap = 0; lap < LAPS; ++lap) {
      for (int state = 0; state < STATES; ++state) {
        call(state);
      }
    }
    times.push_back((now_ns() - begin) / (LAPS * STATES));
  }
  return times.empty() ? 0.0 : *std::min_element(times.begin(), times.end());
}

} // namespace

int main(int count, char **words) {
  if (count != 4) {
    return 2;
  }
  const std::string quantity = words[2];
  const int rounds = std::atoi(words[3]);
  pinocchio::Model model;
  model.loadFromText(words[1]);
  pinocchio::Data data(model);
  std::srand(1);
  std::vector<Eigen::VectorXd> q, v, a;
  for (int state = 0; state < STATES; ++state) {
    for (auto *list : {&q, &v, &a}) {
      list->push_back(2.0 * Eigen::VectorXd::Random(model.nv));
    }
  }
  double time = 0.0;
  if (quantity == "inverse_dynamics") {
    time = least_of(rounds, [&](int k) { pinocchio::rnea(model, data, q[k], v[k], a[k]); });
  } else if (quantity == "mass_matrix") {
    time = least_of(rounds, [&](int k) { pinocchio::crba(model, data, q[k], pinocchio::Convention::LOCAL); });
  } else if (quantity == "forward_dynamics") {
    time = least_of(rounds, [&](int k) { pinocchio::aba(model, data, q[k], v[k], a[k], pinocchio::Convention::LOCAL); });
  } else if (quantity == "inverse_dynamics_derivatives") {
    time = least_of(rounds, [&](int k) { pinocchio::computeRNEADerivatives(model, data, q[k], v[k], a[k]); });
  } else {
    return 2;
  }
  std::printf("%.1f\n", time);
  return 0;
}
