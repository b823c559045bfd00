// sim/svg.cc -- strokes as text.
#include "sim/svg.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace conclave::svg {
namespace {

// How many bytes of well-formed UTF-8 start here; 0 if they are not.
std::size_t sequence_length(std::string_view rest) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80    ? 1
                               : first < 0xC2  ? 0
                               : first < 0xE0  ? 2
                               : first < 0xF0  ? 3
                               : first <= 0xF4 ? 4
                                               : 0;
    if (length > rest.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    }
    if (first == 0xE0 && byte(1) < 0xA0) return 0;                      // longer than needed
    if (first == 0xED && byte(1) >= 0xA0) return 0;                     // half of a surrogate pair
    if (first == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 0;  // no character at all
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) >= 0x90) return 0;  // beyond Unicode
    return length;
}

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
    out.append(" ").append(name).append("=\"").append(value).append("\"");
}

std::string pen_attributes(const Pen& pen) {
    std::string out;
    append_attribute(out, "fill", pen.fill);
    if (pen.stroke != "none") {
        append_attribute(out, "stroke", pen.stroke);
        append_attribute(out, "stroke-width", fixed(pen.width));
        if (!pen.dash.empty()) append_attribute(out, "stroke-dasharray", pen.dash);
    }
    if (pen.opacity < 1) append_attribute(out, "opacity", fixed(pen.opacity, 2));
    return out;
}

}  // namespace

std::string escape(std::string_view text) {
    static constexpr std::string_view unreadable = "\xEF\xBF\xBD";
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text.substr(i));
        const char c = text[i];
        if (length == 0) {
            out += unreadable;
        } else if (length > 1) {
            out += text.substr(i, length);
        } else if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '"') {
            out += "&quot;";
        } else if (c == '\'') {
            out += "&#39;";
        } else if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') {
            out += unreadable;  // XML has no way to write it
        } else {
            out += c;
        }
        i += length == 0 ? 1 : length;
    }
    return out;
}

std::string fixed(double value, int decimals) {
    assert(std::isfinite(value));
    std::array<char, 400> buffer{};
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::fixed, decimals);
    assert(written.ec == std::errc{});
    std::string out(buffer.data(), written.ptr);
    if (out.find('.') != std::string::npos) {
        while (out.back() == '0') out.pop_back();
        if (out.back() == '.') out.pop_back();
    }
    return out == "-0" ? "0" : out;
}

double text_width(std::string_view text, double size) {
    double ems = 0;
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;  // inside a character
        const bool thin = std::string_view("iljtfrI.,:;'|!()[] ").find(c) != std::string_view::npos;
        const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w' || c == '_' ||
                          static_cast<unsigned char>(c) >= 0x80;
        ems += thin ? 0.38 : wide ? 0.74 : 0.62;
    }
    return ems * size;
}

std::string_view colour(std::size_t index) {
    // Okabe and Ito's set without yellow (unreadable on paper) and without red (kept for alarms),
    // then the darker ones of Paul Tol's muted set.
    static constexpr std::array<std::string_view, 10> palette{
        "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
        "#332288", "#999933", "#882255", "#44aa99", "#8c5a2b"};
    return palette[index % palette.size()];
}

std::string_view text_on(std::string_view background) {
    assert(background.size() == 7);
    const auto channel = [&](std::size_t i) {
        int value = 0;
        std::from_chars(background.data() + i, background.data() + i + 2, value, 16);
        return std::pow(value / 255.0, 2.2);
    };
    const double light = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
    return light > 0.25 ? ink : paper;
}

void Canvas::open(std::string_view what, std::string_view tooltip) {
    out_ += "<g";
    append_attribute(out_, "data-what", what);
    out_ += ">";
    if (!tooltip.empty()) out_ += "<title>" + escape(tooltip) + "</title>";
}

void Canvas::line(Point from, Point to, const Pen& pen) {
    path("M" + at(from) + " L" + at(to), pen);
}

void Canvas::rect(const Box& box, const Pen& pen, double radius) {
    out_ += "<rect";
    append_attribute(out_, "x", fixed(box.x));
    append_attribute(out_, "y", fixed(box.y));
    append_attribute(out_, "width", fixed(box.width));
    append_attribute(out_, "height", fixed(box.height));
    if (radius > 0) append_attribute(out_, "rx", fixed(radius));
    out_ += pen_attributes(pen) + "/>\n";
}

void Canvas::circle(Point centre, double radius, const Pen& pen) {
    out_ += "<circle";
    append_attribute(out_, "cx", fixed(centre.x));
    append_attribute(out_, "cy", fixed(centre.y));
    append_attribute(out_, "r", fixed(radius));
    out_ += pen_attributes(pen) + "/>\n";
}

void Canvas::polygon(std::initializer_list<Point> corners, const Pen& pen) {
    std::string commands;
    for (const Point corner : corners) commands += (commands.empty() ? "M" : " L") + at(corner);
    path(commands + "Z", pen);
}

void Canvas::path(std::string_view commands, const Pen& pen) {
    out_ += "<path";
    append_attribute(out_, "d", commands);
    out_ += pen_attributes(pen) + "/>\n";
}

void Canvas::text(Point baseline, std::string_view words, const Type& type) {
    out_ += "<text";
    append_attribute(out_, "x", fixed(baseline.x));
    append_attribute(out_, "y", fixed(baseline.y));
    append_attribute(out_, "font-size", fixed(type.size));
    append_attribute(out_, "fill", type.fill);
    if (type.anchor == Anchor::middle) append_attribute(out_, "text-anchor", "middle");
    if (type.anchor == Anchor::end) append_attribute(out_, "text-anchor", "end");
    if (type.bold) append_attribute(out_, "font-weight", "bold");
    if (type.italic) append_attribute(out_, "font-style", "italic");
    if (type.upward) append_attribute(out_, "transform", "rotate(-90 " + at(baseline) + ")");
    if (type.halo) {
        append_attribute(out_, "stroke", paper);
        append_attribute(out_, "stroke-width", "3");
        append_attribute(out_, "stroke-linejoin", "round");
        append_attribute(out_, "paint-order", "stroke");
    }
    out_ += ">" + escape(words) + "</text>\n";
}

std::string Canvas::finish(double width, double height, std::string_view title) const {
    const std::string w = fixed(std::ceil(width)), h = fixed(std::ceil(height));
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"";
    append_attribute(out, "width", w);
    append_attribute(out, "height", h);
    append_attribute(out, "viewBox", "0 0 " + w + " " + h);
    append_attribute(out, "font-family", "sans-serif");
    out += ">\n<title>" + escape(title) + "</title>\n";
    out += "<rect width=\"" + w + "\" height=\"" + h + "\" rx=\"6\" fill=\"";
    return out.append(paper).append("\"/>\n").append(out_).append("</svg>\n");
}

std::string at(Point point) { return fixed(point.x) + " " + fixed(point.y); }

void arrow_head(Canvas& canvas, Point from, Point tip, std::string_view fill, double size) {
    const double length = std::hypot(tip.x - from.x, tip.y - from.y);
    if (length < 0.5) return;  // no direction to point in
    const Point along{(tip.x - from.x) / length, (tip.y - from.y) / length};
    const Point base{tip.x - along.x * size, tip.y - along.y * size};
    const double half = size * 0.38;
    canvas.polygon({tip,
                    {base.x - along.y * half, base.y + along.x * half},
                    {base.x + along.y * half, base.y - along.x * half}},
                   {.fill = fill});
}

void cross(Canvas& canvas, Point centre, double reach, double width) {
    const auto corner = [&](double x, double y) {
        return at({centre.x + x * reach, centre.y + y * reach});
    };
    canvas.path(
        "M" + corner(-1, -1) + " L" + corner(1, 1) + " M" + corner(-1, 1) + " L" + corner(1, -1),
        {.stroke = alarm, .width = width});
}

}  // namespace conclave::svg
