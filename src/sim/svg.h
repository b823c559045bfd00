// sim/svg.h -- the few strokes every picture is made of: shapes, text, colours, measures.
//
// Pictures are self-contained and may be pasted into a page side by side: no scripts, no fonts, no
// style sheets, and no ids that could clash. The same calls give the same bytes everywhere.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace conclave::svg {

struct Point {
    double x = 0, y = 0;
};
struct Box {
    double x = 0, y = 0, width = 0, height = 0;
    double right() const { return x + width; }
    double bottom() const { return y + height; }
};

inline constexpr std::string_view paper = "#ffffff", ink = "#1f2933", faded = "#66727f",
                                  pale = "#a9b2bb", faint = "#e6e9ed", alarm = "#b3261e";

std::string escape(std::string_view text);  // for text and attributes; bad UTF-8 becomes U+FFFD
std::string fixed(double value, int decimals = 1);      // no locale, no "-0", no trailing zeros
double text_width(std::string_view text, double size);  // an estimate on the generous side
std::string_view colour(std::size_t index);             // told apart by colour-blind readers
std::string_view text_on(std::string_view background);  // black or white, whichever reads

struct Pen {
    std::string_view stroke = "none";
    double width = 1;
    std::string_view fill = "none";
    std::string_view dash = "";
    double opacity = 1;
};

enum class Anchor { start, middle, end };
struct Type {
    double size = 11;
    std::string_view fill = ink;
    Anchor anchor = Anchor::start;
    bool bold = false, italic = false;
    bool halo = false;    // a rim in paper colour, so that text reads on top of lines
    bool upward = false;  // turned a quarter left, for the name of a vertical axis
};

class Canvas {
public:
    void open(std::string_view what, std::string_view tooltip = "");  // one thing of the picture
    void close() { out_ += "</g>\n"; }
    void line(Point from, Point to, const Pen& pen);
    void rect(const Box& box, const Pen& pen, double radius = 0);
    void circle(Point centre, double radius, const Pen& pen);
    void polygon(std::initializer_list<Point> corners, const Pen& pen);
    void path(std::string_view commands, const Pen& pen);
    void text(Point baseline, std::string_view words, const Type& type);
    std::string finish(double width, double height, std::string_view title) const;

private:
    std::string out_;
};

std::string at(Point point);  // "x y", for the commands of a path
void arrow_head(Canvas& canvas, Point from, Point tip, std::string_view fill, double size);
void cross(Canvas& canvas, Point centre, double reach, double width);

}  // namespace conclave::svg
