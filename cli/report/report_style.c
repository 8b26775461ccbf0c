// How report.html looks, and the little that happens in it: curves are switched on and off, command lines are copied.
#include "cli/report/report_internal.h"

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
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:12px}"
    ".card{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--ink);border-radius:8px;"
    "padding:10px 14px}.card h3{display:flex;gap:8px;align-items:center;font-size:15px}"
    ".row{width:100%;display:block;border-radius:8px;margin-top:18px}"
    ".law{font-size:11px;letter-spacing:.05em;color:var(--soft);border:1px solid var(--line);border-radius:4px;"
    "padding:0 5px}.card p{margin:.3em 0 0;font-size:14px}.card img{width:100%;border-radius:6px;margin-top:8px;"
    "display:block}\n"
    ".legend{position:sticky;top:0;z-index:2;background:var(--page);border-bottom:1px solid var(--line);"
    "display:flex;flex-wrap:wrap;gap:4px 16px;padding:8px 0;margin:26px 0 14px;font-size:13px}"
    ".legend label{display:inline-flex;gap:6px;align-items:center;cursor:pointer}.legend input{display:none}"
    ".legend input:not(:checked)~*{opacity:.3}.hint{color:var(--soft);font-size:13px}\n",
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
    "details summary{cursor:pointer;color:var(--soft)}"
    "@media (prefers-color-scheme:dark){.card img,.row{filter:brightness(.82)}}\n",
    ".worst{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--ink);border-radius:8px;"
    "padding:10px 14px 14px;margin:14px 0}.worst h3{display:flex;gap:8px;align-items:center;font-size:15px}"
    ".worst .wide{margin-top:10px}.worst pre{background:var(--page);margin:8px 0 0}.worst details{margin-top:8px}"
    ".cones{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),400px));gap:12px;margin-top:10px}"
    ".cone{border:0;padding:0}.over{text-align:center;border-left:1px solid var(--line)}.contacts "
    "td.dim{color:var(--soft)}"
    ".open{--ink:#7d8691}.stick{--ink:#009e73}.slide{--ink:#c98a00}.violated{--ink:#d1342f}"
    ".cloud.open .m{fill:var(--card);stroke:var(--ink)}.mode{color:var(--ink);font-weight:600}"
    ".key{white-space:nowrap;margin-right:8px}.key svg{vertical-align:-2px;margin-right:3px}\n"
    "@media (prefers-color-scheme:dark){.open{--ink:#9aa3ae}.stick{--ink:#2fc796}.slide{--ink:#f0b93a}"
    ".violated{--ink:#ff7a70}}\n"
    "@media print{.legend{position:static}figure,.card{break-inside:avoid}}\n"};

static const char script[] =
    "document.querySelectorAll('.legend label').forEach(label=>{const plots=label.parentNode.nextElementSibling;"
    "const box=label.querySelector('input'),mine=()=>plots.querySelectorAll('.s'+box.value);"
    "box.onchange=()=>mine().forEach(g=>g.classList.toggle('off',!box.checked));"
    "label.onmouseenter=()=>{plots.classList.add('one');mine().forEach(g=>g.classList.add('on'))};"
    "label.onmouseleave=()=>{plots.classList.remove('one');mine().forEach(g=>g.classList.remove('on'))}});"
    "document.querySelectorAll('.cmd').forEach(line=>{"
    "const done=()=>{line.classList.add('done');setTimeout(()=>line.classList.remove('done'),1500)};"
    "const old=()=>{getSelection().selectAllChildren(line);if(document.execCommand('copy'))done()};"
    "line.onclick=()=>navigator.clipboard?navigator.clipboard.writeText(line.textContent).then(done,old):old();"
    "line.onkeydown=e=>{if(e.key==='Enter')line.onclick()}});";

void ts_report_add_style(ts_text* text) {
    for (size_t i = 0; i < sizeof style / sizeof style[0]; ++i) ts_text_add(text, "%s", style[i]);
}

void ts_report_add_script(ts_text* text) { ts_text_add(text, "<script>%s</script>\n", script); }
