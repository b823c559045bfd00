// mutex/plane.cc -- fields, the walk around a plane, and which planes there are.
#include "mutex/plane.h"

#include <array>
#include <cassert>

namespace conclave {

std::optional<PrimePower> as_prime_power(std::uint32_t number) {
    for (std::uint32_t prime = 2; prime <= number; ++prime) {
        if (number % prime != 0) continue;
        PrimePower found{prime, 0};
        for (; number % prime == 0; number /= prime) ++found.exponent;
        return number == 1 ? std::optional(found) : std::nullopt;
    }
    return std::nullopt;
}

// --- Fields. -------------------------------------------------------------------------------------

// Polynomials modulo x^n = r, for the first r by which the powers of x are all there is but 0.
Field::Field(PrimePower size) : prime_(size.prime), size_(1) {
    for (std::uint32_t i = 0; i < size.exponent; ++i) size_ *= prime_;
    std::uint32_t reduced = 1;
    while (!list_powers(reduced)) ++reduced;
}

bool Field::list_powers(std::uint32_t reduced) {
    assert(reduced < size_);
    const std::uint32_t top = size_ / prime_;  // what the highest digit counts
    power_.clear();
    logarithm_.assign(size_, 0);
    std::uint32_t element = 1;
    do {
        logarithm_[element] = static_cast<std::uint32_t>(power_.size());
        power_.push_back(element);
        element = add(element % top * prime_, scale(element / top, reduced));
    } while (element != 1 && element != 0 && power_.size() < size_);
    return element == 1 && power_.size() == size_ - 1;
}

std::uint32_t Field::add(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t sum = 0;
    for (std::uint32_t digit = 1; digit < size_; digit *= prime_) {
        sum += (a / digit + b / digit) % prime_ * digit;
    }
    return sum;
}

std::uint32_t Field::scale(std::uint32_t factor, std::uint32_t a) const {
    std::uint32_t product = 0;
    for (std::uint32_t digit = 1; digit < size_; digit *= prime_) {
        product += factor * (a / digit % prime_) % prime_ * digit;
    }
    return product;
}

std::uint32_t Field::multiply(std::uint32_t a, std::uint32_t b) const {
    if (a == 0 || b == 0) return 0;
    return power_[(logarithm_[a] + logarithm_[b]) % power_.size()];
}

// --- Planes. -------------------------------------------------------------------------------------

namespace {

// A point is u + vx + wx^2 but for a common factor. Multiplying by x, where x^3 = a + bx + cx^2,
// leads from one to the next; with a != 0 nothing is lost, so that the walk returns to its start.
// Gives the points with w = 0, which are a line, if all points were passed before that.
std::optional<std::vector<std::uint32_t>> walk(const Field& field,
                                               const std::array<std::uint32_t, 3>& x3) {
    std::vector<std::uint32_t> line;
    std::array<std::uint32_t, 3> at{1, 0, 0};
    std::uint32_t steps = 0;
    do {
        if (at[2] == 0) line.push_back(steps);
        const std::uint32_t w = at[2];
        at = {field.multiply(w, x3[0]), field.add(at[0], field.multiply(w, x3[1])),
              field.add(at[1], field.multiply(w, x3[2]))};
        ++steps;
    } while (at[1] != 0 || at[2] != 0);
    if (steps != points_of_plane(field.size())) return std::nullopt;
    return line;
}

bool is_sum_of_two_squares(std::uint32_t number) {
    for (std::uint32_t a = 0; a * a <= number; ++a) {
        for (std::uint32_t b = a; a * a + b * b <= number; ++b) {
            if (a * a + b * b == number) return true;
        }
    }
    return false;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> line_of_plane(std::uint32_t order) {
    if (order == 1) return std::vector<std::uint32_t>{0, 1};
    const auto size = as_prime_power(order);
    if (!size) return std::nullopt;
    const Field field(*size);
    for (std::uint32_t c = 0; c < order; ++c) {
        for (std::uint32_t b = 0; b < order; ++b) {
            for (std::uint32_t a = 1; a < order; ++a) {
                if (auto line = walk(field, {a, b, c})) return line;
            }
        }
    }
    assert(false && "every field has an extension of degree 3, and that a generator");
    return std::nullopt;
}

Existence plane_exists(std::uint32_t order) {
    if (as_prime_power(order)) return Existence::exists;
    if (order == 10) return Existence::searched;
    const bool ruled = order % 4 == 1 || order % 4 == 2;
    return ruled && !is_sum_of_two_squares(order) ? Existence::excluded : Existence::unknown;
}

}  // namespace conclave
