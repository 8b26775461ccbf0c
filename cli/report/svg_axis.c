// Axes of plots.
//
// Ticks: steps of 1, 2 or 5 times a power of ten, the smallest that keeps labels apart. A linear axis is shown in a
// unit with a prefix that makes its largest number lie between 1 and 1000; a logarithmic one begins and ends at a tick.
#include "cli/report/svg_axis_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double ts_svg_place(const ts_svg_axis* self, double value) {
    double shown = value * self->scale;
    if (self->kind == TS_SVG_SIGNED_LOG) {
        double size = fabs(value) / self->floor;
        shown = size > 1.0 ? copysign(log10(size), value) : 0.0;
    }
    if (self->kind == TS_SVG_LOG) shown = log10(value > self->floor ? value : self->floor);
    return self->from + (shown - self->low) / (self->high - self->low) * (self->to - self->from);
}

// A prefix that makes the largest number on the ts_svg_axis lie between 1 and 1000.
static void choose_prefix(ts_svg_axis* self, double largest, const char* unit) {
    static const struct {
        double scale;
        const char* prefix;
    } prefixes[] = {{1e9, "n"}, {1e6, "\xC2\xB5"}, {1e3, "m"}, {1.0, ""}, {1e-3, "k"}, {1e-6, "M"}};
    self->scale = 1.0;
    snprintf(self->unit, sizeof self->unit, "%s", unit);
    if (!unit[0] || !(largest > 0.0)) return;
    // Nanoseconds are a part of seconds, else thousands of them would be "kns".
    double part = 1.0;
    if (strcmp(unit, "ns") == 0) part = 1e-9;
    if (strcmp(unit, "us") == 0) part = 1e-6;
    if (part < 1.0) unit = "s";
    largest *= part;
    size_t i = 0;
    while (i + 1 < sizeof prefixes / sizeof prefixes[0] && largest * prefixes[i].scale >= 1000.0) ++i;
    // Seconds and radians read better plain down to a tenth.
    if (prefixes[i].scale == 1e3 && largest >= 0.1 && strcmp(unit, "s") == 0) ++i;
    self->scale = part * prefixes[i].scale;
    snprintf(self->unit, sizeof self->unit, "%s%s", prefixes[i].prefix, unit);
}

static double nice_step(double span, double most_ticks) {
    double raw = span / (most_ticks > 1.0 ? most_ticks : 1.0);
    double power = pow(10.0, floor(log10(raw)));
    double part = raw / power;
    return power * (part <= 1.0 ? 1.0 : (part <= 2.0 ? 2.0 : (part <= 5.0 ? 5.0 : 10.0)));
}

void ts_svg_linear_ticks(ts_svg_axis* self, double pixels_per_tick, int whole, int widen) {
    double step = nice_step(self->high - self->low, fabs(self->to - self->from) / pixels_per_tick);
    if (whole && step < 1.0) step = 1.0;
    if (widen) {
        self->low = floor(self->low / step + 1e-9) * step;
        self->high = ceil(self->high / step - 1e-9) * step;
    }
    self->decimals = step < 1.0 ? (int)ceil(-log10(step) - 1e-9) : 0;
    self->tick_count = 0;
    double first = ceil(self->low / step - 1e-9);
    for (double k = first; k * step <= self->high + 1e-9 * step && self->tick_count < TS_SVG_MOST_TICKS; k += 1.0)
        self->tick[self->tick_count++] = k * step == 0.0 ? 0.0 : k * step;
}

// The largest of 1, 2, 5 times a power of ten that is not above 10^exponent, or the smallest not below, as exponent.
static double nice_exponent(double exponent, int above) {
    static const double mantissa[] = {0.0, 0.301029995663981195, 0.698970004336018805, 1.0};
    double whole = floor(exponent);
    double rest = exponent - whole;
    double best = above ? 1.0 : 0.0;
    for (int i = 0; i < 4; ++i) {
        if (!above && mantissa[i] <= rest + 1e-9) best = mantissa[i];
        if (above && mantissa[3 - i] >= rest - 1e-9) best = mantissa[3 - i];
    }
    return whole + best;
}

// Less than two powers of ten: 1, 2, 5.
static void add_short_log_ticks(ts_svg_axis* self) {
    self->low = nice_exponent(self->low, 0);
    self->high = nice_exponent(self->high, 1);
    if (self->high - self->low < 0.3) self->high = nice_exponent(self->low + 0.3, 1);
    self->tick_count = 0;
    for (double k = self->low; k <= self->high + 1e-6 && self->tick_count < TS_SVG_MOST_TICKS;
         k = nice_exponent(k + 0.2, 1))
        self->tick[self->tick_count++] = k;
}

static void add_log_ticks(ts_svg_axis* self) {
    if (self->high - self->low < 2.0) {
        add_short_log_ticks(self);
        return;
    }
    self->low = floor(self->low + 1e-9);
    self->high = ceil(self->high - 1e-9);
    if (self->high - self->low < 1.0) self->high = self->low + 1.0;
    double step = ceil((self->high - self->low) * 26.0 / fabs(self->to - self->from));
    self->tick_count = 0;
    for (double k = self->low; k <= self->high && self->tick_count < TS_SVG_MOST_TICKS; k += step)
        self->tick[self->tick_count++] = k;
}

typedef struct range {
    double low;
    double high;
} range;

static void widen(range* r, double value) {
    if (!isfinite(value)) return;
    if (value < r->low) r->low = value;
    if (value > r->high) r->high = value;
}

static range range_of(const ts_svg_plot* plot, int of_y) {
    range r = {HUGE_VAL, -HUGE_VAL};
    // A logarithmic axis without a floor has nothing to say about what is not positive.
    int only_positive = of_y ? plot->y_scale == TS_SVG_LOG && plot->y_floor <= 0.0 : plot->x_scale == TS_SVG_LOG;
    for (int c = 0; c < plot->curve_count; ++c) {
        const double* value = of_y ? plot->curve[c].y : plot->curve[c].x;
        for (int i = 0; i < plot->curve[c].count; ++i)
            if (!only_positive || value[i] > 0.0) widen(&r, value[i]);
    }
    for (int i = 0; plot->cloud && plot->guide && i < plot->guide->count; ++i)
        widen(&r, of_y ? plot->guide->y[i] : plot->guide->x[i]);
    if (!(r.low <= r.high)) r.low = r.high = only_positive ? 1.0 : 0.0;
    return r;
}

// Zero in the middle, powers of ten to both sides. One power below the smallest value shown lies zero.
static void make_signed_axis(const ts_svg_plot* plot, ts_svg_axis* self) {
    range r = {HUGE_VAL, -HUGE_VAL};
    double smallest = HUGE_VAL;
    for (int c = 0; c < plot->curve_count; ++c) {
        for (int i = 0; i < plot->curve[c].count; ++i) {
            double x = plot->curve[c].x[i];
            widen(&r, x);
            if (isfinite(x) && x != 0.0 && fabs(x) < smallest) smallest = fabs(x);
        }
    }
    if (!isfinite(smallest)) smallest = 1.0;
    self->kind = TS_SVG_SIGNED_LOG;
    self->scale = 1.0;
    self->floor = pow(10.0, floor(log10(smallest) + 1e-9) - 1.0);
    snprintf(self->unit, sizeof self->unit, "%s", plot->x_unit);
    self->low = r.low < 0.0 ? -log10(-r.low / self->floor) : 0.0;
    self->high = r.high > 0.0 ? log10(r.high / self->floor) : 0.0;
    if (!(self->high > self->low)) self->high = self->low + 1.0;
    for (double k = ceil(self->low - 1e-9); k <= self->high + 1e-9 && self->tick_count < TS_SVG_MOST_TICKS; k += 1.0)
        self->tick[self->tick_count++] = k;
}

ts_svg_axis ts_svg_x_axis(const ts_svg_plot* plot) {
    range r = range_of(plot, 0);
    ts_svg_axis self;
    memset(&self, 0, sizeof self);
    self.from = TS_SVG_LEFT;
    self.to = plot->width - TS_SVG_RIGHT;
    if (plot->x_scale == TS_SVG_SIGNED_LOG) {
        make_signed_axis(plot, &self);
        return self;
    }
    if (plot->x_scale == TS_SVG_LOG) {
        self.kind = TS_SVG_LOG;
        self.scale = 1.0;
        self.floor = r.low;
        self.low = log10(r.low);
        self.high = log10(r.high);
        snprintf(self.unit, sizeof self.unit, "%s", plot->x_unit);
        add_log_ticks(&self);
        return self;
    }
    if (!(r.high > r.low)) r.high = r.low + 1.0;
    choose_prefix(&self, fmax(fabs(r.low), fabs(r.high)), plot->x_unit);
    self.low = r.low * self.scale;
    self.high = r.high * self.scale;
    return self;
}

ts_svg_axis ts_svg_y_axis(const ts_svg_plot* plot) {
    range r = range_of(plot, 1);
    ts_svg_axis self;
    memset(&self, 0, sizeof self);
    self.from = plot->height - TS_SVG_BOTTOM;
    self.to = TS_SVG_TOP;
    if (plot->y_reversed) {
        self.from = TS_SVG_TOP;
        self.to = plot->height - TS_SVG_BOTTOM;
    }
    self.kind = plot->y_scale;
    self.scale = 1.0;
    self.floor = plot->y_floor > 0.0 ? plot->y_floor : r.low;
    if (self.kind == TS_SVG_LOG) {
        snprintf(self.unit, sizeof self.unit, "%s", plot->y_unit);
        self.low = log10(r.low > self.floor ? r.low : self.floor);
        self.high = log10(r.high > self.floor ? r.high : self.floor);
        add_log_ticks(&self);
        return self;
    }
    if (plot->y_from_zero) {
        widen(&r, 0.0);
    }
    if (r.high - r.low < plot->y_span) {
        double middle = plot->y_from_zero ? plot->y_span / 2.0 : (r.low + r.high) / 2.0;
        if (fabs(middle) < 0.01 * plot->y_span) middle = 0.0;
        r.low = middle - plot->y_span / 2.0;
        r.high = middle + plot->y_span / 2.0;
    }
    if (!(r.high > r.low)) r.high = r.low + 1.0;
    choose_prefix(&self, fmax(fabs(r.low), fabs(r.high)), plot->y_unit);
    self.low = r.low * self.scale;
    self.high = r.high * self.scale;
    return self;
}

void ts_svg_equalise(ts_svg_axis* x, ts_svg_axis* y) {
    double x_pixels = fabs(x->to - x->from);
    double y_pixels = fabs(y->to - y->from);
    double x_span = (x->high - x->low) / x->scale;
    double y_span = (y->high - y->low) / y->scale;
    double per_pixel = fmax(x_span / x_pixels, y_span / y_pixels);
    if (fmin(x_span / x_pixels, y_span / y_pixels) < per_pixel / 12.0) return;
    double x_room = 0.5 * (per_pixel * x_pixels - x_span) * x->scale;
    double y_room = 0.5 * (per_pixel * y_pixels - y_span) * y->scale;
    x->low -= x_room;
    x->high += x_room;
    y->low -= y_room;
    y->high += y_room;
}

void ts_svg_pad(ts_svg_axis* self, double part) {
    double room = part * (self->high - self->low);
    self->low -= room;
    self->high += room;
}
