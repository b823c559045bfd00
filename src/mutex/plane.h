// mutex/plane.h -- finite projective planes: as many lines as points, any two lines meet once.
//
// A plane of order q has q^2 + q + 1 points and q + 1 of them on each line. Over a field of q
// elements it is made by walking once around all its points (Singer 1938): number the points in the
// order of the walk, and the lines are one line moved on by 0, 1, 2, ... Such a line is all that
// must be kept, and line i passes through point i if the first one passes through point 0.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace conclave {

constexpr std::uint32_t points_of_plane(std::uint32_t order) { return order * order + order + 1; }

struct PrimePower {
    std::uint32_t prime = 0, exponent = 0;
};
std::optional<PrimePower> as_prime_power(std::uint32_t number);

// GF(q). An element is a number below q whose digits to the base p are the coefficients of a
// polynomial; element 1 is one.
class Field {
public:
    explicit Field(PrimePower size);
    std::uint32_t size() const { return size_; }
    std::uint32_t add(std::uint32_t a, std::uint32_t b) const;
    std::uint32_t multiply(std::uint32_t a, std::uint32_t b) const;

private:
    bool list_powers(std::uint32_t reduced);
    std::uint32_t scale(std::uint32_t digit, std::uint32_t a) const;

    std::uint32_t prime_ = 0, size_ = 0;
    std::vector<std::uint32_t> power_, logarithm_;
};

// The points of one line, ascending from 0; line i is these moved on by i, modulo the number of
// points. Order 1, the triangle, is no plane but meets the same purpose. Nothing where no field has
// this many elements.
std::optional<std::vector<std::uint32_t>> line_of_plane(std::uint32_t order);

// What is known about planes of an order, over a field or not.
enum class Existence : std::uint8_t {
    exists,    // a prime power
    excluded,  // k-1 or k-2 is divisible by 4 and k is no sum of two squares (Bruck, Ryser 1949)
    searched,  // only order 10: by trying everything (Lam 1991)
    unknown,
};
Existence plane_exists(std::uint32_t order);

}  // namespace conclave
