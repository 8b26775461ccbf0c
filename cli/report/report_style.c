// How a page looks, and its script, which is written in report.js and brought here by cmake/TouchstoneText.cmake.
#include "cli/report/report_internal.h"

#include <string.h>

/// The text of report.js, terminated.
extern const unsigned char ts_report_script[];

// In parts: C compilers need not take long strings.
static const char* const style[] = {
    ":root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#1d2127;--soft:#5d6570;--line:#e3e6ea;"
    "--accent:#0072b2;--warn:#b3400a;--bar:#d5e5f1}\n"
    "@media (prefers-color-scheme:dark){:root{--page:#14171b;--card:#1d2126;--text:#e8eaed;--soft:#a2abb6;"
    "--line:#31373f;--accent:#6cb6ea;--warn:#ff9a62;--bar:#274358}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--text);"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}"
    "main{max-width:1320px;margin:0 auto;padding:28px 24px 60px}"
    "h1{font-size:28px;line-height:1.2;margin:0 0 4px}h2{font-size:19px;margin:34px 0 12px}"
    "h3{font-size:14px;margin:0 0 2px;font-weight:600}p{margin:.4em 0}"
    ".lead{font-size:16px;color:var(--soft);max-width:75ch}"
    ".facts{display:flex;flex-wrap:wrap;gap:6px 26px;margin:14px 0 0;padding:0;list-style:none;color:var(--soft)}"
    ".facts b{color:var(--text);font-weight:600}"
    "code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,\"DejaVu Sans Mono\",monospace}"
    "pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px;margin:14px 0 0;"
    "white-space:pre-wrap;overflow-wrap:anywhere}"
    ".cmd{cursor:copy}.cmd.done::after{content:\" copied\";color:var(--accent);font-weight:600}"
    ".cut{background:var(--card);border-left:4px solid var(--warn);padding:8px 14px;margin:16px 0}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr));gap:12px}"
    ".card{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--ink);border-radius:8px;"
    "padding:10px 14px}.card h3{display:flex;gap:8px;align-items:center;font-size:15px}h3 svg{flex:none}"
    ".row{width:100%;display:block;border-radius:8px;margin:0}.loop{margin-top:8px}.loop "
    ".row{margin-top:6px;background:#fff;max-width:900px}.hint{margin-top:6px}"
    ".top{display:grid;gap:18px;margin-top:16px;"
    "align-items:start}"
    "@media (min-width:1000px){.top.few:has(img){grid-template-columns:minmax(0,1.75fr) minmax(0,1fr)}}"
    ".glance{list-style:none;margin:0;padding:0;display:grid;gap:6px;grid-template-columns:repeat(auto-fit,"
    "minmax(min(100%,360px),1fr))}.glance li{background:var(--card);border:1px solid var(--line);border-left:5px solid "
    "var(--ink);border-radius:8px;padding:5px 10px;line-height:1.35}.glance a{display:flex;gap:8px;align-items:center;"
    "color:inherit;text-decoration:none}.glance "
    "svg{flex:none}.glance span{font-size:14px;margin-right:10px}.glance small{font-size:12.5px;color:var(--soft)}"
    ".glance em{font-style:normal}a{color:var(--accent)}.card pre{background:var(--page);margin:6px 0 0;padding:6px "
    "10px;"
    "font-size:12px}\n"
    ".law{font-size:11px;letter-spacing:.05em;color:var(--soft);border:1px solid var(--line);border-radius:4px;"
    "padding:0 5px}.card p{margin:.3em 0 0;font-size:14px}.card img{width:100%;border-radius:6px;margin-top:8px;"
    "display:block}\n"
    ".legend{position:sticky;top:0;z-index:2;background:var(--page);border-bottom:1px solid var(--line);"
    "display:flex;flex-wrap:wrap;gap:4px 16px;padding:8px 0;margin:26px 0 14px;font-size:13px}"
    ".legend label{display:inline-flex;gap:6px;align-items:center;cursor:pointer}.legend "
    "input{position:absolute;opacity:0}"
    ".legend input:not(:checked)~*{opacity:.3}.legend input:focus-visible~span{outline:2px solid "
    "var(--accent)}.hint{color:var(--soft);font-size:13px}\n",
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:14px}"
    "figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 12px 10px}"
    "figcaption{font-size:12.5px;color:var(--soft);margin-top:2px}"
    ".plots.two{grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr))}.off{display:none}.plots.one "
    ".c{opacity:.12}.plots.one .c.on{opacity:1}\n"
    ".wide{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px}"
    "table{border-collapse:collapse;width:100%;font-size:12.5px;font-variant-numeric:tabular-nums}"
    "th,td{padding:7px 8px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}"
    "tbody tr:last-child>*{border-bottom:0}thead th{color:var(--soft);font-weight:600;vertical-align:bottom;"
    "line-height:1.25}th:first-child,td.left{text-align:left}tbody th{font-weight:600}tbody th svg{vertical-align:-2px;"
    "margin-right:7px}.bar{background:linear-gradient(90deg,var(--bar) var(--w),transparent var(--w))}"
    ".warn{color:var(--warn);font-weight:600}dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;"
    "margin:0;font-size:14px}dt{font-weight:600}dd{margin:0;color:var(--soft)}"
    "@media (max-width:640px){dl{grid-template-columns:1fr}main{padding:18px 14px 40px}}"
    "details summary{cursor:pointer;color:var(--soft)}",
    ".worst{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--ink);border-radius:8px;"
    "padding:10px 14px 14px;margin:14px 0}.worst h3{display:flex;gap:8px;align-items:center;font-size:15px}"
    ".worst .wide{margin-top:10px}.worst pre{background:var(--page);margin:8px 0 0}.worst details{margin-top:8px}"
    ".cones{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),400px));gap:12px;margin-top:10px}"
    ".cone{border:0;padding:0}.over{text-align:center;border-left:1px solid var(--line)}td.dim{color:"
    "var(--soft)}.contacts,.numbers{font-size:11.5px}:is(.contacts,.numbers) :is(th,td){padding:6px 2px}"
    ":is(.contacts,.numbers) thead th{white-space:normal}"
    "table small{display:block;color:var(--soft);font-weight:400;font-size:11px}"
    "@media (min-width:900px){.plots.two :is(.tick text,.label){font-size:10.5px}}"
    ".mode{color:var(--ink);font-weight:600}"
    ".key{white-space:nowrap;margin-right:8px}.key svg{vertical-align:-2px;margin-right:3px}\n"
    "figure{position:relative}figcaption{display:flow-root}.files{float:right;margin-left:12px}.files "
    "a{margin-left:8px;font-size:11.5px}"
    "svg.plot.live{cursor:crosshair;user-select:none;-webkit-user-select:none;touch-action:pan-y "
    "pinch-zoom;outline:none}"
    "svg.plot.live:focus-visible{outline:1px solid var(--accent)}"
    ".cursor path{stroke:var(--soft);stroke-width:1;fill:none}.cursor circle{fill:var(--ink);stroke:var(--card)}"
    ".cursor rect{fill:var(--accent);fill-opacity:.12;stroke:var(--accent)}"
    ".back{position:absolute;top:8px;right:10px;font:inherit;font-size:12px;color:var(--accent);cursor:pointer;"
    "background:var(--card);border:1px solid var(--line);border-radius:5px;padding:1px 8px}"
    ".tip{position:fixed;z-index:3;pointer-events:none;background:var(--card);border:1px solid var(--line);"
    "border-radius:6px;padding:5px 9px;font-size:12px;line-height:1.35;box-shadow:0 2px 10px rgba(0,0,0,.18);max-width:"
    "min(430px,90vw)}.tip table{font-size:12px;width:auto}.tip :is(td,th){padding:0 0 0 8px;border:0}.tip "
    "td:first-child{text-align:left;padding:0;max-width:260px;overflow:hidden;text-overflow:ellipsis}"
    ".tip svg{vertical-align:-3px;margin-right:6px}.tip "
    "i{display:inline-block;width:9px;height:9px;border-radius:50%;background:var(--ink);margin-right:6px}\n"
    "@media print{.legend{position:static}figure,.card{break-inside:avoid}}\n"};

void ts_report_add_style(ts_text* text) {
    for (size_t i = 0; i < sizeof style / sizeof style[0]; ++i) ts_text_add(text, "%s", style[i]);
}

void ts_report_add_script(ts_text* text) {
    ts_text_add(text, "<script>\n");
    const char* line = (const char*)ts_report_script;
    while (*line) {
        line += strspn(line, " \n");
        size_t length = strcspn(line, "\n");
        // What explains it stays in the source.
        if (strncmp(line, "//", 2) != 0 && length > 0) ts_text_add(text, "%.*s\n", (int)length, line);
        line += length;
    }
    ts_text_add(text, "</script>\n");
}
