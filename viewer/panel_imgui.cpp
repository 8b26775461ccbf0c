// Problem: menus, sliders and bars without writing them. Rule: each function of the kit is a few calls of Dear ImGui; nothing else of the viewer
// knows the library, and nothing here knows the viewer. Guaranteed: one kit at a time. Known to fail: its own font is small letters of
// one size; DejaVu Sans is taken where it is installed.
#include "viewer/panel_imgui_internal.h"

#include "viewer/overlay.h"
#include "viewer/session/theme_internal.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <glad/gl.h>
#include <imgui.h>

#include <backends/imgui_impl_opengl3.h>

namespace {

struct texture {
    GLuint name = 0;  // 0: none yet
    int version = 0;
};

struct panel_imgui {
    ts_kit kit;
    int dark;  // 1, 0, or -1: no style yet
    const ts_theme* theme;
    double line;                 // pixels
    ImVec4 canvas;               // the last one, pixels: what is drawn stays inside
    std::vector<texture> image;  // by the numbers of images
    bool pressed[3];             // since the last picture
    bool released[3];            // and let go again
};

ImVec4 color_of(const float* c) { return ImVec4(c[0], c[1], c[2], c[3]); }
const ts_theme* theme_of(const ts_kit* kit) { return reinterpret_cast<const panel_imgui*>(kit)->theme; }
ImU32 packed(const float* c) { return ImGui::ColorConvertFloat4ToU32(color_of(c)); }

void hint_of(const char* hint) {
    if (!hint || !hint[0] || !ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(28.0f * ImGui::GetFontSize());
    ImGui::TextUnformatted(hint);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void choose_style(panel_imgui* p, int dark) {
    ImGuiStyle& style = ImGui::GetStyle();
    if (dark)
        ImGui::StyleColorsDark();
    else
        ImGui::StyleColorsLight();
    const ts_theme* theme = p->theme = ts_theme_of(dark);
    p->dark = dark;
    style.Colors[ImGuiCol_WindowBg] = style.Colors[ImGuiCol_MenuBarBg] = color_of(theme->page);
    style.Colors[ImGuiCol_PopupBg] = style.Colors[ImGuiCol_FrameBg] = color_of(theme->paper);
    style.Colors[ImGuiCol_Text] = color_of(theme->plain);
    style.Colors[ImGuiCol_Header] = color_of(theme->header);
    style.Colors[ImGuiCol_Button] = color_of(theme->button);
    style.Colors[ImGuiCol_PlotHistogram] = color_of(theme->past);
}

void kit_begin(ts_kit* kit, int width, int height, int dark, double seconds) {
    auto* p = reinterpret_cast<panel_imgui*>(kit);
    if (p->dark != (dark != 0)) choose_style(p, dark != 0);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
    io.DeltaTime = seconds > 1e-4 ? static_cast<float>(seconds) : 1e-4f;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    // The strip that the menu stands in is a little higher than the menu, and nothing else draws there.
    const ImVec2 corner(io.DisplaySize.x, std::floor(1.3f * static_cast<float>(p->line)));
    ImGui::GetBackgroundDrawList()->AddRectFilled(ImVec2(0.0f, 0.0f), corner, ImGui::GetColorU32(ImGuiCol_MenuBarBg));
}

void kit_end(ts_kit* kit) {
    auto* p = reinterpret_cast<panel_imgui*>(kit);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    for (int b = 0; b < 3; ++b) {
        if (p->released[b]) ImGui::GetIO().MouseDown[b] = false;
        p->pressed[b] = p->released[b] = false;
    }
}

#if IMGUI_VERSION_NUM >= 18700
ImGuiKey key_of(int key) {
    switch (key) {
    case TS_KEY_TAB: return ImGuiKey_Tab;
    case TS_KEY_LEFT: return ImGuiKey_LeftArrow;
    case TS_KEY_RIGHT: return ImGuiKey_RightArrow;
    case TS_KEY_UP: return ImGuiKey_UpArrow;
    case TS_KEY_DOWN: return ImGuiKey_DownArrow;
    case TS_KEY_HOME: return ImGuiKey_Home;
    case TS_KEY_END: return ImGuiKey_End;
    case TS_KEY_DELETE: return ImGuiKey_Delete;
    case TS_KEY_BACKSPACE: return ImGuiKey_Backspace;
    case TS_KEY_ENTER: return ImGuiKey_Enter;
    case TS_KEY_ESCAPE: return ImGuiKey_Escape;
    case 'A': return ImGuiKey_A;
    case 'C': return ImGuiKey_C;
    case 'V': return ImGuiKey_V;
    case 'X': return ImGuiKey_X;
    case 'Z': return ImGuiKey_Z;
    default: return ImGuiKey_None;
    }
}

void tell_key(ImGuiIO& io, const ts_event* event) {
    io.AddKeyEvent(ImGuiMod_Ctrl, (event->mods & TS_MOD_CONTROL) != 0);
    io.AddKeyEvent(ImGuiMod_Shift, (event->mods & TS_MOD_SHIFT) != 0);
    io.AddKeyEvent(key_of(event->code), event->action != TS_ACTION_RELEASE);
}

void map_keys(ImGuiIO&) {}
#else
void tell_key(ImGuiIO& io, const ts_event* event) {
    io.KeyCtrl = (event->mods & TS_MOD_CONTROL) != 0;
    io.KeyShift = (event->mods & TS_MOD_SHIFT) != 0;
    if (event->code > 0 && event->code < 512) io.KeysDown[event->code] = event->action != TS_ACTION_RELEASE;
}

void map_keys(ImGuiIO& io) {
    static const int map[][2] = {{ImGuiKey_Tab, TS_KEY_TAB},
                                 {ImGuiKey_LeftArrow, TS_KEY_LEFT},
                                 {ImGuiKey_RightArrow, TS_KEY_RIGHT},
                                 {ImGuiKey_UpArrow, TS_KEY_UP},
                                 {ImGuiKey_DownArrow, TS_KEY_DOWN},
                                 {ImGuiKey_Home, TS_KEY_HOME},
                                 {ImGuiKey_End, TS_KEY_END},
                                 {ImGuiKey_Delete, TS_KEY_DELETE},
                                 {ImGuiKey_Backspace, TS_KEY_BACKSPACE},
                                 {ImGuiKey_Enter, TS_KEY_ENTER},
                                 {ImGuiKey_Escape, TS_KEY_ESCAPE},
                                 {ImGuiKey_A, 'A'},
                                 {ImGuiKey_C, 'C'},
                                 {ImGuiKey_V, 'V'},
                                 {ImGuiKey_X, 'X'},
                                 {ImGuiKey_Z, 'Z'}};
    for (const auto& pair : map) io.KeyMap[pair[0]] = pair[1];
}
#endif

// A press and its release between two pictures are a click all the same: the release waits for the picture after.
void tell_button(panel_imgui* p, ImGuiIO& io, const ts_event* event) {
    if (event->action == TS_ACTION_PRESS) {
        io.MouseDown[event->code] = true;
        p->pressed[event->code] = true;
        p->released[event->code] = false;
    } else if (p->pressed[event->code]) {
        p->released[event->code] = true;
    } else {
        io.MouseDown[event->code] = false;
    }
}

int kit_event(ts_kit* kit, const ts_event* event) {
    auto* p = reinterpret_cast<panel_imgui*>(kit);
    ImGuiIO& io = ImGui::GetIO();
    switch (event->kind) {
    case TS_EVENT_MOVE: io.MousePos = ImVec2(static_cast<float>(event->x), static_cast<float>(event->y)); break;
    case TS_EVENT_BUTTON: tell_button(p, io, event); break;
    case TS_EVENT_SCROLL: io.MouseWheel += static_cast<float>(event->y); break;
    case TS_EVENT_CHARACTER: io.AddInputCharacter(static_cast<unsigned>(event->code)); return io.WantTextInput;
    case TS_EVENT_KEY: tell_key(io, event); return io.WantTextInput;
    default: return 0;
    }
    return io.WantCaptureMouse;
}

int kit_menu_begin(ts_kit*, const char* label) {
    if (!ImGui::BeginMainMenuBar()) return 0;
    if (ImGui::BeginMenu(label)) return 1;
    ImGui::EndMainMenuBar();
    return 0;
}

int kit_menu_item(ts_kit*, const char* label, const char* key, int on) {
    return ImGui::MenuItem(label, key[0] ? key : nullptr, on > 0);
}

void kit_menu_end(ts_kit*) {
    ImGui::EndMenu();
    ImGui::EndMainMenuBar();
}

int kit_panel_begin(ts_kit*, const char* title, const double rectangle[4]) {
    ImGui::SetNextWindowPos(ImVec2(static_cast<float>(rectangle[0]), static_cast<float>(rectangle[1])));
    ImGui::SetNextWindowSize(ImVec2(static_cast<float>(rectangle[2]), static_cast<float>(rectangle[3])));
    return ImGui::Begin(title, nullptr,
                        ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                            ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoSavedSettings);
}

void kit_panel_end(ts_kit*) { ImGui::End(); }

int kit_section(ts_kit*, const char* label, int open) {
    return ImGui::CollapsingHeader(label, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
}

void kit_text(ts_kit*, const char* text, const float* color) {
    ImGui::PushTextWrapPos(0.0f);
    if (color) ImGui::PushStyleColor(ImGuiCol_Text, color_of(color));
    ImGui::TextUnformatted(text);
    if (color) ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
}

// What has no room beside the last one, half of the margin included, goes below it.
int kit_button(ts_kit*, const char* label, const char* hint) {
    float wide = ImGui::CalcTextSize(label, nullptr, true).x + 2.0f * ImGui::GetStyle().FramePadding.x;
    bool beside = ImGui::GetCursorPosX() > ImGui::GetCursorStartPos().x + 1.0f;
    float room = ImGui::GetContentRegionAvail().x + 0.5f * ImGui::GetStyle().WindowPadding.x;
    if (beside && room < wide) ImGui::NewLine();
    bool pressed = ImGui::Button(label);
    hint_of(hint);
    return pressed;
}

GLuint texture_of(panel_imgui* p, const ts_image* image) {
    auto number = static_cast<size_t>(image->number);
    if (number >= p->image.size()) p->image.resize(number + 1);
    texture& t = p->image[number];
    if (!image->pixels || (t.name && t.version == image->version)) return t.name;
    if (!t.name) glGenTextures(1, &t.name);
    t.version = image->version;
    glBindTexture(GL_TEXTURE_2D, t.name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, image->width, image->height, 0, GL_RGB, GL_UNSIGNED_BYTE, image->pixels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    return t.name;
}

int kit_image(ts_kit* kit, const ts_image* image) {
    auto* p = reinterpret_cast<panel_imgui*>(kit);
    float high = static_cast<float>(image->lines * p->line);
    ImVec2 at = ImGui::GetCursorScreenPos(),
           size(high * static_cast<float>(image->width) / static_cast<float>(image->height), high);
    GLuint shown = texture_of(p, image);
    if (shown) {
        ImGui::Image(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(shown)), size);
    } else {
        ImGui::Dummy(size);
        ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), packed(p->theme->paper));
    }
    return ImGui::IsItemVisible();
}

int kit_item(ts_kit* kit, const char* label, const char* below, int chosen) {
    ImGui::BeginGroup();
    bool pressed = ImGui::Selectable(label, chosen != 0);
    if (below) {
        ImGui::PushTextWrapPos(0.0f);
        ImGui::PushStyleColor(ImGuiCol_Text, color_of(theme_of(kit)->dim));
        ImGui::TextUnformatted(below);
        ImGui::PopStyleColor();
        ImGui::PopTextWrapPos();
        // The sentence is as good as the name.
        pressed = pressed || ImGui::IsItemClicked();
    }
    ImGui::EndGroup();
    return pressed;
}

int kit_check(ts_kit*, const char* label, int on, const char* hint) {
    bool value = on != 0;
    bool changed = ImGui::Checkbox(label, &value);
    hint_of(hint);
    return changed;
}

int kit_knob(ts_kit* kit, const ts_knob* knob, double* io_value) {
    double before = *io_value;
    bool scale = std::isfinite(knob->low) && std::isfinite(knob->high) && knob->high > knob->low &&
                 knob->high - knob->low <= 1e4;
    const char* format = knob->whole ? "%.0f" : "%.4g";
    ImGui::PushItemWidth(0.5f * ImGui::GetContentRegionAvail().x);
    if (knob->marked) ImGui::PushStyleColor(ImGuiCol_Text, color_of(theme_of(kit)->marked));
    if (scale && !(knob->logarithmic && knob->low <= 0.0)) {
        ImGuiSliderFlags flags = knob->logarithmic ? ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoRoundToFormat
                                                   : ImGuiSliderFlags_NoRoundToFormat;
        ImGui::SliderScalar(knob->label, ImGuiDataType_Double, io_value, &knob->low, &knob->high, format, flags);
    } else {
        // A hundredth of the value per pixel; of zero, something to begin with.
        float speed = std::fabs(before) > 0.0 ? static_cast<float>(0.01 * std::fabs(before)) : 0.001f;
        if (knob->whole && speed < 0.1f) speed = 0.1f;
        ImGui::DragScalar(knob->label, ImGuiDataType_Double, io_value, speed, nullptr, nullptr, format,
                          ImGuiSliderFlags_NoRoundToFormat);
    }
    if (knob->marked) ImGui::PopStyleColor();
    ImGui::PopItemWidth();
    hint_of(knob->hint);
    if (knob->whole) *io_value = std::floor(*io_value + 0.5);
    if (*io_value < knob->low) *io_value = knob->low;
    if (*io_value > knob->high) *io_value = knob->high;
    return *io_value < before || *io_value > before;
}

int kit_field(ts_kit*, const char* label, char* io_text, size_t size) {
    ImGui::PushItemWidth(-1.0f);
    bool changed = ImGui::InputTextWithHint(label, "search", io_text, size);
    ImGui::PopItemWidth();
    return changed;
}

int kit_choose(ts_kit*, const char* label, int now, int count, const char* (*name)(int i), const char* (*hint)(int i)) {
    int chosen = now;
    ImGui::PushItemWidth(0.6f * ImGui::GetContentRegionAvail().x);
    if (ImGui::BeginCombo(label, now >= 0 && now < count ? name(now) : "?", ImGuiComboFlags_HeightLargest)) {
        for (int i = 0; i < count; ++i) {
            if (ImGui::Selectable(name(i), i == now)) chosen = i;
            hint_of(hint ? hint(i) : nullptr);
        }
        ImGui::EndCombo();
    }
    ImGui::PopItemWidth();
    if (now >= 0 && now < count) hint_of(hint ? hint(now) : nullptr);
    return chosen;
}

void kit_bar(ts_kit*, const char* label, double value, double low, double high) {
    char text[48];
    double range = high > low ? high - low : 1.0;
    std::snprintf(text, sizeof text, "%.4g", value);
    float width = 0.5f * ImGui::GetContentRegionAvail().x;
    ImGui::ProgressBar(static_cast<float>((value - low) / range), ImVec2(width, 0.0f), text);
    ImGui::SameLine();
    ImGui::TextUnformatted(label);
}

void kit_beside(ts_kit*) { ImGui::SameLine(); }

ts_canvas kit_canvas(ts_kit* kit, const char* label, double width, double height) {
    ts_canvas canvas;
    ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail(), mouse = ImGui::GetIO().MousePos;
    canvas.x = static_cast<double>(at.x);
    canvas.y = static_cast<double>(at.y);
    canvas.width = width > 0.0 ? width : static_cast<double>(room.x);
    canvas.height = height;
    if (canvas.width < 1.0) canvas.width = 1.0;
    ImGui::InvisibleButton(label, ImVec2(static_cast<float>(canvas.width), static_cast<float>(height)));
    reinterpret_cast<panel_imgui*>(kit)->canvas =
        ImVec4(at.x, at.y, at.x + static_cast<float>(canvas.width), at.y + static_cast<float>(height));
    canvas.hovered = ImGui::IsItemHovered();
    canvas.pressed = ImGui::IsItemActive();
    canvas.mouse_x = static_cast<double>(mouse.x);
    canvas.mouse_y = static_cast<double>(mouse.y);
    return canvas;
}

// The list of the present panel, bounded by its last canvas.
ImDrawList* begin_drawing(ts_kit* kit) {
    const ImVec4& c = reinterpret_cast<panel_imgui*>(kit)->canvas;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(ImVec2(c.x, c.y), ImVec2(c.z, c.w), true);
    return list;
}

void kit_line(ts_kit* kit, const float* xy, int count, const float color[4]) {
    ImDrawList* list = begin_drawing(kit);
    // One by one: the mitres of a polyline make what goes up and down within a few pixels vanish.
    const auto* point = reinterpret_cast<const ImVec2*>(xy);
    for (int i = 0; i + 1 < count; ++i) list->AddLine(point[i], point[i + 1], packed(color), 1.5f);
    list->PopClipRect();
}

void kit_box(ts_kit* kit, const double r[4], const float color[4]) {
    ImVec2 low(static_cast<float>(r[0]), static_cast<float>(r[1]));
    ImVec2 high(static_cast<float>(r[0] + r[2]), static_cast<float>(r[1] + r[3]));
    ImDrawList* list = begin_drawing(kit);
    list->AddRectFilled(low, high, packed(color));
    list->PopClipRect();
}

void kit_mark(ts_kit* kit, double x, double y, const char* text, const float color[4]) {
    ImVec2 at(static_cast<float>(x), static_cast<float>(y));
    ImDrawList* list = begin_drawing(kit);
    list->AddText(at, packed(color), text);
    list->PopClipRect();
}

double kit_size(ts_kit* kit) { return reinterpret_cast<panel_imgui*>(kit)->line; }

void kit_destroy(ts_kit* kit) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
    auto* p = reinterpret_cast<panel_imgui*>(kit);
    for (const texture& t : p->image) glDeleteTextures(1, &t.name);
    delete p;
}

const ts_kit_ops imgui_ops = {kit_begin,    kit_end,         kit_event,     kit_menu_begin, kit_menu_item,
                              kit_menu_end, kit_panel_begin, kit_panel_end, kit_section,    kit_text,
                              kit_button,   kit_item,        kit_check,     kit_knob,       kit_field,
                              kit_choose,   kit_image,       kit_bar,       kit_beside,     kit_canvas,
                              kit_line,     kit_box,         kit_mark,      kit_size,       kit_destroy};

void choose_font(ImGuiIO& io, float pixels) {
    const char* file = ts_typeface_installed();
    if (file && io.Fonts->AddFontFromFileTTF(file, pixels)) return;
    ImFontConfig config;
    config.SizePixels = pixels;
    io.Fonts->AddFontDefault(&config);
}

}  // namespace

ts_kit* ts_panel_imgui_create(double scale) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    float factor = scale > 0.5 ? static_cast<float>(scale) : 1.0f;
    map_keys(io);
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 0.0f;
    style.FrameRounding = 3.0f;
    style.GrabRounding = 3.0f;
    style.WindowBorderSize = 0.0f;
    style.ItemSpacing = ImVec2(6.0f, 4.0f);
    style.ScaleAllSizes(factor);
    choose_font(io, 14.0f * factor);
    if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
        ImGui::DestroyContext();
        return nullptr;
    }
    auto* p = new panel_imgui{};
    p->kit.ops = &imgui_ops;
    p->dark = -1;
    p->line = 18.0 * static_cast<double>(factor);
    return &p->kit;
}
