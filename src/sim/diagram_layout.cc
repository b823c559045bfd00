// sim/diagram_layout.cc -- strokes, marks and badges first, then room for the words between them.
#include "sim/diagram_layout.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "sim/diagram_labels.h"

namespace conclave {
namespace {

using svg::Box;
using svg::Point;
using Wishes = std::vector<LabelPlacer::Wish>;

constexpr double word_height = 12;
constexpr int rounds = 6;  // of making room for words that found none

// Arrows that share one label: a broadcast is named once, at its sender, and so are many equal
// answers that arrive together, at their receiver.
struct Bundle {
    enum class Shape { single, fan_out, fan_in } shape;
    std::vector<std::size_t> arrows;
};

std::vector<Bundle> bundles_of(const Diagram& diagram) {
    using Key = std::tuple<Diagram::Index, double, std::string, Diagram::Kind>;
    std::map<Key, std::vector<std::size_t>> out, in;
    for (std::size_t i = 0; i < diagram.arrows.size(); ++i) {
        const auto& arrow = diagram.arrows[i];
        out[{arrow.from, arrow.sent, arrow.label, arrow.kind}].push_back(i);
    }
    std::vector<Bundle> bundles;
    for (auto& [key, arrows] : out) {
        const auto& arrow = diagram.arrows[arrows.front()];
        if (arrows.size() > 1) {
            bundles.push_back({Bundle::Shape::fan_out, arrows});
        } else if (arrow.fate == Diagram::Fate::delivered) {
            in[{arrow.to, arrow.arrived, arrow.label, arrow.kind}].push_back(arrows.front());
        } else {
            bundles.push_back({Bundle::Shape::single, arrows});
        }
    }
    for (auto& [key, arrows] : in) {
        if (arrows.size() > 2) {
            bundles.push_back({Bundle::Shape::fan_in, arrows});
            continue;
        }
        for (const std::size_t i : arrows) bundles.push_back({Bundle::Shape::single, {i}});
    }
    // The algorithm's own messages choose first, and those with the fewest places before others.
    std::stable_sort(bundles.begin(), bundles.end(), [&](const Bundle& a, const Bundle& b) {
        const auto rank = [&](const Bundle& bundle) {
            const auto& arrow = diagram.arrows[bundle.arrows.front()];
            return std::tuple(arrow.kind, bundle.shape == Bundle::Shape::single, arrow.sent);
        };
        return rank(a) < rank(b);
    });
    return bundles;
}

// Places beside, above, below and on a line, at the point `share` of the way along it.
void wish_along(Wishes& wishes, Point from, Point to, double share, double width, double cost) {
    const double dx = to.x - from.x, dy = to.y - from.y;
    const Point p{from.x + share * dx, from.y + share * dy};
    const double run = dy == 0 ? 1e6 : std::abs(dx / dy) * word_height / 2;
    if (run < 30) {
        const double y = p.y - word_height / 2;
        wishes.push_back({{p.x + run + 3, y, width, word_height}, cost});
        wishes.push_back({{p.x - run - 3 - width, y, width, word_height}, cost + 0.2});
    }
    const double rise = dx == 0 ? 1e6 : std::abs(dy / dx) * width / 2;
    if (rise < 16) {
        const double x = p.x - width / 2;
        wishes.push_back({{x, p.y - rise - 2 - word_height, width, word_height}, cost});
        wishes.push_back({{x, p.y + rise + 2, width, word_height}, cost + 0.2});
    }
    wishes.push_back({{p.x - width / 2, p.y - word_height / 2, width, word_height}, cost + 2});
}

void wish_for_bundle(Wishes& wishes, const Layout& layout, const Bundle& bundle, double width) {
    static constexpr double shares[] = {0.5,  0.42, 0.58, 0.35, 0.65, 0.28, 0.72,
                                        0.22, 0.78, 0.16, 0.84, 0.1,  0.9};
    for (const std::size_t i : bundle.arrows) {
        const auto& stroke = layout.strokes[i];
        if (stroke.bend) {
            const Point top{(stroke.from.x + stroke.to.x) / 2, stroke.bend->y + 10};
            wish_along(wishes, {top.x - 1, top.y}, {top.x + 1, top.y}, 0.5, width, 0);
            wishes.push_back({{stroke.to.x + 2, top.y - 6, width, word_height}, 1});
        } else if (bundle.shape == Bundle::Shape::single) {
            for (const double share : shares) {
                const double cost = 3 * std::abs(share - 0.45);
                wish_along(wishes, stroke.from, stroke.to, share, width, cost);
            }
        } else {
            const bool out = bundle.shape == Bundle::Shape::fan_out;
            const Point root = out ? stroke.from : stroke.to, leaf = out ? stroke.to : stroke.from;
            const double reach = std::abs(leaf.y - root.y);
            std::size_t first = wishes.size();
            for (double away = 12; away < std::min(reach, layout.gap * 1.9); away += 6) {
                wish_along(wishes, root, leaf, away / reach, width, 0.05 * away);
            }
            for (; first < wishes.size(); ++first) {
                const double off = wishes[first].box.y + word_height / 2 - root.y;
                if (off * (leaf.y - root.y) < 0) wishes[first].cost += 3;  // the lane between them
            }
        }
    }
}

// How far a lost message gets: to the wall that stopped it, else most of the way; never onto a
// lane, where it would look delivered.
double lost_share(const Diagram& diagram, const Diagram::Arrow& arrow) {
    const double lanes = std::abs(static_cast<double>(arrow.to) - static_cast<double>(arrow.from));
    for (const auto& cut : diagram.cuts) {
        if (arrow.arrived < cut.from || arrow.sent >= cut.to) continue;
        const auto inside = [&](Diagram::Index lane) {
            return std::find(cut.side.begin(), cut.side.end(), lane) != cut.side.end();
        };
        if (inside(arrow.from) == inside(arrow.to)) continue;
        double passed = 0;
        for (auto lane = arrow.from; lane != arrow.to; ++passed) {
            const auto next = arrow.to > lane ? lane + 1 : lane - 1;
            if (inside(lane) != inside(next)) return (passed + 0.5) / lanes;
            lane = next;
        }
    }
    return (std::floor(0.7 * lanes) + 0.5) / lanes;
}

Layout::Stroke stroke_of(const Diagram& diagram, const Layout& layout,
                         const Diagram::Arrow& arrow) {
    assert(arrow.from < diagram.lanes.size());
    assert(arrow.to < diagram.lanes.size());
    const double horizon = layout.scale.times.back();
    Point from = layout.at(arrow.from, arrow.sent), to = layout.at(arrow.to, arrow.arrived);
    if (arrow.from == arrow.to) {
        to.x = std::max(to.x, from.x + 18);
        return {from, to, Point{(from.x + to.x) / 2, from.y - 30}};
    }
    const bool arrives = arrow.fate == Diagram::Fate::delivered;
    if (!arrives && arrow.arrived <= arrow.sent) to.x = from.x + 50;  // nobody knows when it would
    double share = 1;
    if (arrow.fate == Diagram::Fate::lost) share = lost_share(diagram, arrow);
    if (arrow.fate == Diagram::Fate::in_flight) {
        share =
            arrow.arrived > horizon ? (horizon - arrow.sent) / (arrow.arrived - arrow.sent) : 0.6;
        share = std::clamp(share, 0.25, 0.85);
    }
    if (arrow.arrived > horizon) to.x = from.x + (to.x - from.x) / share;  // `to` is at the horizon
    return {from, {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)}, {}};
}

// Crash and restart lie on the line, timers below it, what a node thinks or is told above it.
// Marks of one moment are stacked away from the line.
void put_marks(const Diagram& diagram, Layout& layout) {
    using What = Diagram::Mark::What;
    std::map<std::tuple<Diagram::Index, double, int>, int> stacked;
    for (const auto& mark : diagram.marks) {
        const bool below = mark.what == What::timer || mark.what == What::arm;
        const bool on = mark.what == What::crash || mark.what == What::restart;
        const int side = on ? 0 : below ? 1 : -1;
        const int depth = stacked[{mark.lane, mark.at, side}]++;
        const Point base = layout.at(mark.lane, mark.at);
        layout.spots.push_back({base.x, base.y + side * (11.0 + 15.0 * depth)});
    }
}

void put_waits(const Diagram& diagram, Layout& layout) {
    using What = Diagram::Mark::What;
    std::vector<const Diagram::Mark*> marks;
    for (const auto& mark : diagram.marks) marks.push_back(&mark);
    std::stable_sort(marks.begin(), marks.end(), [](auto* a, auto* b) { return a->at < b->at; });
    std::map<std::pair<Diagram::Index, std::string>, double> armed;
    for (const auto* mark : marks) {
        const auto timer = std::pair(mark->lane, mark->label);
        if (mark->what == What::timer && armed.contains(timer)) {
            const Point from = layout.at(mark->lane, armed[timer]);
            const Point to = layout.at(mark->lane, mark->at);
            layout.waits.push_back({{from.x + 6, from.y + 11}, {to.x - 6, to.y + 11}});
            armed.erase(timer);
        }
        if (mark->what == What::arm) armed[timer] = mark->at;
    }
}

void put_badges(const Diagram& diagram, Layout& layout) {
    for (const auto& reign : diagram.reigns) {
        if (!reign.leader) continue;
        assert(*reign.leader < diagram.lanes.size());
        const Point start = layout.at(reign.lane, reign.from);
        layout.badges.push_back({{start.x + badge_radius + 4, start.y},
                                 reign.lane,
                                 *reign.leader,
                                 *reign.leader == reign.lane});
    }
}

Box around(Point centre, double reach) {
    return {centre.x - reach, centre.y - reach, 2 * reach, 2 * reach};
}

LabelPlacer obstacles(const Diagram& diagram, const Layout& layout) {
    const double left = layout.scale.left() - 8;
    LabelPlacer placer({left, layout.top - 38, std::max(480.0, layout.scale.right() + 30 - left),
                        layout.bottom - layout.top + 72});
    for (Diagram::Index lane = 0; lane < diagram.lanes.size(); ++lane) {
        placer.avoid({left, layout.y(lane)}, {layout.scale.right(), layout.y(lane)}, 14);
    }
    for (std::size_t i = 0; i < layout.strokes.size(); ++i) {
        const auto& stroke = layout.strokes[i];
        const double cost = diagram.arrows[i].kind == Diagram::Kind::source ? 4 : 2;
        placer.avoid(stroke.from, stroke.bend ? *stroke.bend : stroke.to, cost, i);
        if (stroke.bend) placer.avoid(*stroke.bend, stroke.to, cost, i);
        placer.block(around(stroke.to, 5));
    }
    for (const auto& wait : layout.waits) placer.avoid(wait.from, wait.to, 2);
    for (const Point spot : layout.spots) placer.block(around(spot, 6.5));
    for (const auto& badge : layout.badges) {
        placer.block(around(badge.centre, badge_radius));
        if (badge.crowned) placer.block(around({badge.centre.x + crown_offset, badge.centre.y}, 8));
    }
    return placer;
}

bool put_word(LabelPlacer& placer, Layout& layout, const Wishes& wishes, LabelPlacer::Owner owner,
              Layout::Word word) {
    const auto box = placer.place(wishes, owner);
    if (!box) return ++layout.left_out, false;
    word.box = *box;
    layout.words.push_back(std::move(word));
    return true;
}

void put_mark_words(const Diagram& diagram, Layout& layout, LabelPlacer& placer, Widening& wider) {
    for (std::size_t i = 0; i < diagram.marks.size(); ++i) {
        const auto& mark = diagram.marks[i];
        if (mark.label.empty()) continue;
        const Point p = layout.spots[i];
        const double width = svg::text_width(mark.label, small_type), h = word_height;
        const Wishes wishes{{{p.x + 8, p.y - h / 2, width, h}, 0},
                            {{p.x - 8 - width, p.y - h / 2, width, h}, 1},
                            {{p.x + 8, p.y - h / 2 - 9, width, h}, 1.5},
                            {{p.x + 8, p.y - h / 2 + 9, width, h}, 1.5},
                            {{p.x - width / 2, p.y - 8 - h, width, h}, 2},
                            {{p.x - width / 2, p.y + 8, width, h}, 2},
                            {{p.x - 8 - width, p.y - h / 2 - 9, width, h}, 2.5},
                            {{p.x - 8 - width, p.y - h / 2 + 9, width, h}, 2.5}};
        if (!put_word(placer, layout, wishes, LabelPlacer::nobody,
                      {{}, mark.label, Diagram::Kind::repair, true})) {
            wider[mark.at] += width / 2;
        }
    }
}

void put_arrow_words(const Diagram& diagram, Layout& layout, LabelPlacer& placer, Widening& wider) {
    for (const Bundle& bundle : bundles_of(diagram)) {
        const auto& arrow = diagram.arrows[bundle.arrows.front()];
        if (arrow.label.empty()) continue;
        const double width = svg::text_width(arrow.label, small_type);
        Wishes wishes;
        wish_for_bundle(wishes, layout, bundle, width);
        const bool put = put_word(placer, layout, wishes, bundle.arrows.front(),
                                  {{}, arrow.label, arrow.kind, false});
        if (!put && arrow.kind != Diagram::Kind::detector) wider[arrow.sent] += width / 2;
    }
}

// Colours are handed out by seniority, so that the first leader is blue in every picture.
std::vector<std::string_view> colours_of(const Diagram& diagram) {
    std::vector<const Diagram::Reign*> reigns;
    for (const auto& reign : diagram.reigns) {
        if (reign.leader) reigns.push_back(&reign);
    }
    std::stable_sort(reigns.begin(), reigns.end(),
                     [](auto* a, auto* b) { return a->from < b->from; });
    std::vector<std::string_view> colours(diagram.lanes.size());
    std::size_t next = 0;
    for (const auto* reign : reigns) {
        assert(*reign->leader < colours.size());
        if (colours[*reign->leader].empty()) colours[*reign->leader] = svg::colour(next++);
    }
    return colours;
}

double gap_for(std::size_t lanes) {
    return lanes <= 4 ? 92 : lanes <= 6 ? 80 : lanes <= 8 ? 68 : 60;
}

}  // namespace

std::string name_of(const Diagram::Lane& lane) {
    return lane.label.empty() ? std::to_string(number(lane.node)) : lane.label;
}

Layout layout_of(const Diagram& diagram) {
    Layout frame;
    for (const auto& lane : diagram.lanes) {
        frame.pill = std::max(frame.pill, svg::text_width(name_of(lane), 13) + 16);
    }
    frame.top = 76 + (diagram.subtitle.empty() ? 0 : 18) + (diagram.cuts.empty() ? 0 : 18);
    frame.gap = gap_for(diagram.lanes.size());
    frame.bottom =
        frame.top + frame.gap * std::max(0.0, static_cast<double>(diagram.lanes.size()) - 1);

    frame.colours = colours_of(diagram);

    Widening widening;
    for (int round = 1;; ++round) {
        Layout layout = frame;
        layout.scale = scale_of(diagram, 20 + frame.pill + 18, widening);
        for (const auto& arrow : diagram.arrows) {
            layout.strokes.push_back(stroke_of(diagram, layout, arrow));
        }
        put_marks(diagram, layout);
        put_waits(diagram, layout);
        put_badges(diagram, layout);
        LabelPlacer placer = obstacles(diagram, layout);
        const Widening before = widening;
        put_mark_words(diagram, layout, placer, widening);
        put_arrow_words(diagram, layout, placer, widening);
        if (widening == before || round == rounds) return layout;
    }
}

}  // namespace conclave
