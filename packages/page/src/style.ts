import { TERM_STYLE } from "./term.ts";

export const LIGHT_PALETTE = "#0072b2 #d55e00 #008a64 #aa4499 #8a7000 #3d8fc4 #57606a #b07900".split(" ");
const DARK_PALETTE = "#56b4e9 #ff9a4d #3fcf9f #e28fd3 #e6cf4a #9ecae1 #c9d1d9 #e69f00".split(" ");

const declared = (palette: readonly string[]) =>
  palette.map((colour, index) => `--t${index}:${colour}`).join(";");
const LIGHT_COLOURS = declared(LIGHT_PALETTE);
const DARK_COLOURS = declared(DARK_PALETTE);

const MARK_STYLE = `${Array.from({ length: 8 }, (_, index) => `.c${index}{--c:var(--t${index})}`).join("")}
span.target{font-weight:500;display:inline-block;max-width:100%}
span.target::before{content:"";display:inline-block;width:10px;height:10px;border-radius:50%;background:var(--c);margin-right:7px;border:2px solid var(--c);vertical-align:-1px}
span.target.copy::before{background:transparent}`;

/** Colours beside those of platforms: all text has a contrast of 4.5 or more. */
const LIGHT = `--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#dfe3e8;--shade:#f6f7f9;
--faster:#0a6b5c;--faster-bg:#e0f4ef;--slower:#a5261c;--slower-bg:#fdeae7;--plain-bg:#eef0f3;--link:#0a58b0;
--caution:#7a5200;--caution-bg:#fff6e0;${LIGHT_COLOURS}`;
const DARK = `--paper:#14171b;--ink:#e8eaed;--soft:#a3abb5;--line:#30363d;--shade:#1b1f25;
--faster:#5fd3ba;--faster-bg:#12352f;--slower:#ff9d90;--slower-bg:#43201c;--plain-bg:#2a2f36;--link:#79b8ff;
--caution:#f0c766;--caution-bg:#332a12;${DARK_COLOURS}`;

export const STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:1120px;margin:0 auto;padding:0 24px}
header{padding-top:44px}
h1{font-size:15px;font-weight:600;letter-spacing:.01em;color:var(--soft);margin:0 0 18px}
h1 strong{color:var(--ink)}
h2{font-size:24px;line-height:1.25;letter-spacing:-.015em;margin:72px 0 12px}
h3{font-size:20px;line-height:1.3;letter-spacing:-.01em;margin:0 0 4px}
h4{font-size:14px;margin:0 0 4px}
h3 small{font-size:14px;font-weight:400;color:var(--soft);margin-left:6px}h3 code{font-size:14px;font-weight:400;color:var(--soft);margin-left:6px}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
small{font-size:13px;color:var(--soft)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999px}.skip:focus{left:12px;top:8px;background:var(--paper);padding:6px 10px}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.answer{font-size:21px;line-height:1.45;letter-spacing:-.01em;max-width:46em;margin:0 0 16px;text-wrap:pretty}
.findings{list-style:none;margin:0 0 16px;padding:0;font-size:18px;line-height:1.5}
.findings li{margin:4px 0}
.lead,.control{color:var(--soft);max-width:46em;margin:0 0 16px}
table{border-collapse:collapse;width:100%;font-size:15px}
th,td{text-align:left;padding:7px 12px 7px 0;vertical-align:middle}
th{font-weight:600;font-size:13px;color:var(--soft)}
.number,.scroll td{font-variant-numeric:tabular-nums}
${MARK_STYLE}
.verdict{display:inline-block;padding:2px 9px;border-radius:99px;font-size:13px;font-weight:600;white-space:nowrap;background:var(--plain-bg);color:var(--ink)}
.verdict.faster{background:var(--faster-bg);color:var(--faster)}.verdict.slower{background:var(--slower-bg);color:var(--slower)}
.verdict.base{background:none;color:var(--soft);font-weight:400;padding-left:0}
td.number{white-space:nowrap}
.verdicts thead button{all:unset;white-space:nowrap;cursor:pointer;font:inherit;color:inherit;padding:3px 0}
.verdicts thead button:focus-visible,.term:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.verdicts thead button::after{content:"↕";opacity:.55;margin-left:5px;font-size:13px}
.verdicts th[aria-sort=ascending] button::after{content:"↑";opacity:1}.verdicts th[aria-sort=descending] button::after{content:"↓";opacity:1}
svg.interval,svg.axis{display:block;width:100%;overflow:visible}
svg.axis text{font-size:13px;font-weight:400;fill:var(--soft)}
.interval .grid{stroke:var(--line);stroke-width:1}.interval .one{stroke:var(--ink);stroke-width:1;opacity:.75}
.interval g{color:var(--c)}.interval .reach{stroke:var(--c);stroke-width:3}
.interval .dot{fill:var(--c);stroke:var(--paper);stroke-width:1.5}.interval .hollow{fill:var(--paper);stroke:var(--c);stroke-width:2}
.key{font-size:13px;color:var(--soft);margin:12px 0 0;max-width:60em}
.case{padding-top:32px;margin-top:40px;border-top:1px solid var(--line)}
.note{background:var(--shade);border-left:3px solid var(--soft);padding:10px 14px;margin:0 0 16px;max-width:52em;font-size:15px}
.reasons{list-style:none;margin:0 0 20px;padding:0;max-width:64em;font-size:15px}.reasons li{margin:6px 0}.reasons .verdict{margin:0 6px 0 10px}
.scroll .minor{display:none}.scroll .bar{min-width:190px;padding-right:16px;white-space:nowrap}.scroll td.reason{min-width:16em;color:var(--soft)}
.legend{margin:24px 0 4px;font-size:14px}.legend .target{margin-right:18px}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,330px),1fr));gap:28px;margin:8px 0 12px}
figure{margin:0;min-width:0}figcaption{font-size:13px;line-height:1.45;color:var(--soft);margin-top:4px}
svg.plot{display:block;width:100%;height:auto;max-width:460px;color:var(--soft);fill:currentColor;font:14.5px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;text-anchor:middle}
svg.plot text{white-space:pre}
.numbers{margin-top:12px}summary{cursor:pointer;color:var(--link);font-size:15px;padding:4px 0}
.scroll th .target{white-space:nowrap}
/* A shadow at the side that goes on (Lea Verou's). */
.scroll{position:relative;overflow-x:auto;margin:6px 0 20px;background:linear-gradient(90deg,var(--paper) 30%,#0000) 0/40px 100%,linear-gradient(270deg,var(--paper) 30%,#0000) 100%/40px 100%,linear-gradient(90deg,#0003,#0000) 0/14px 100%,linear-gradient(270deg,#0003,#0000) 100%/14px 100%;background-repeat:no-repeat;background-attachment:local,local,scroll,scroll}.scroll table{font-size:14px;width:auto;min-width:100%}
.scroll th,.scroll td{border-bottom:1px solid var(--line);padding:6px 20px 6px 0;overflow-wrap:normal}
.numbers .scroll th,.numbers .scroll td{white-space:nowrap}
.settings td{max-width:26em;overflow-wrap:anywhere;min-width:9em}.settings th[scope=row]{font-weight:500;color:var(--ink)}
.settings td.differs{background:var(--caution-bg)}
section>h3{margin-top:28px;font-size:17px}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));gap:14px 32px;margin:16px 0 0}
dt{font-size:13px;color:var(--soft)}dd{margin:0}
dl.words dt{font-size:15px;font-weight:600;color:var(--ink)}dl.words dd{font-size:14.5px;color:var(--soft)}
pre{background:var(--shade);border:1px solid var(--line);border-radius:6px;padding:14px 16px;white-space:pre-wrap;font-size:13.5px;margin:0}
footer{margin-top:80px;padding-top:18px;padding-bottom:48px;color:var(--soft);font-size:13px}
@media screen and (max-width:900px){
header,main,footer{padding-left:16px;padding-right:16px}header{padding-top:24px}
h2{margin-top:52px;font-size:22px}.answer{font-size:18px}.findings{font-size:16px}
}
.links{font-size:13px;color:var(--soft);margin:0 0 16px;max-width:64em}
button[data-copy],button.fold{font:inherit;font-size:13px;color:var(--link);background:none;border:0;padding:0;cursor:pointer;text-decoration:underline}
@media print{.details,button[data-copy],button.fold{display:none}:root{${LIGHT}}*{print-color-adjust:exact}body{font-size:10pt;line-height:1.4}table,.scroll table{font-size:8.5pt}.verdict,small,.key{font-size:7.5pt}th,td{padding:4px 8px 4px 0}.answer{font-size:14pt}.findings{font-size:11pt}h2{margin-top:32px}.case{margin-top:20px;padding-top:16px}.scroll{overflow:visible}.scroll th .target{white-space:normal}.scroll th,.scroll td{padding:3px 8px 3px 0}.numbers .scroll th,.numbers .scroll td{white-space:normal}.case,figure,tr{break-inside:avoid}.skip,.verdicts thead button::after{display:none}header,main,footer{max-width:none;padding-left:0;padding-right:0}.figures{grid-template-columns:repeat(3,1fr)}}
`;

export const ANSWER_STYLE = `
.notices{margin:10px 0;font-size:14px}.notices summary{color:var(--ink);font-size:14px;padding:2px 0}.notices .void strong{color:var(--slower)}.notices ul{margin:2px 0 8px;padding-left:20px}
.place{color:var(--soft);font-size:14px;margin:0 0 14px;max-width:none}
.overview table{table-layout:fixed}.overview th.work{width:24%;font-size:14px;color:var(--ink)}
.overview th.values,.overview td.values{width:26%}.overview thead th{vertical-align:bottom}
.overview th,.overview td{padding:2px 20px 2px 0}.overview tbody tr>*{border-top:1px solid var(--line)}
.overview tbody th{line-height:1.25}.overview tbody a{color:var(--ink)}.overview tbody th small{display:block;font-weight:400}
.overview .value{display:block;line-height:22px;font-size:14px;white-space:nowrap;color:var(--soft)}.overview .value.decided{font-weight:600;color:var(--ink)}
.overview .value .sign{display:inline-block;width:1.2em;color:var(--c)}.overview .sides{display:flex;justify-content:space-between;font-weight:400}
.overview .key{max-width:none;margin:6px 0}.overview .legend .target{margin-right:14px}
.against{font-size:14px;margin:10px 0}.against a{display:inline-block;padding:3px 8px;margin-right:4px;border:1px solid var(--line);border-radius:4px}.against a[aria-current=true]{border-color:var(--ink);color:var(--ink);font-weight:600}
.more{margin-top:28px}.more>summary{font-size:17px}
.case{margin-top:8px;padding-top:10px}.case>details>summary{cursor:pointer;margin-bottom:4px}.case>details>summary h3{display:inline}.case details>div{scroll-margin-top:4em}
.verdicts thead th{vertical-align:bottom}.scroll .verdicts th,.scroll .verdicts td{padding:5px 14px 5px 0;vertical-align:top}
.verdicts th[scope=row]{min-width:12em;font-size:14px;font-weight:400}.verdicts th[scope=row] a{color:var(--ink)}.verdicts small{display:block;line-height:1.35}.verdicts .number small{line-height:1.2}
.verdicts small.void{color:var(--slower);margin-top:3px;max-width:22em}
.key a{text-decoration:underline}
@media screen and (max-width:900px){
.overview table,.overview thead,.overview tbody{display:block}
.overview tr{display:grid;grid-template-columns:minmax(0,1fr) 12.5em;column-gap:10px}.overview th.work{width:auto;grid-column:1/-1}.overview thead th.work,.overview thead th.values{display:none}
.overview tbody th small{display:inline;margin-left:6px}.overview th,.overview td{padding-right:0;min-width:0}.overview td.values,.overview th.values{width:auto}.overview tbody tr>td{border-top:0}.overview .value{font-size:13px}.overview svg.axis text{font-size:11px}.overview svg.axis .minor{display:none}
}
@media screen and (max-width:900px){.verdicts .target{white-space:nowrap}}
@media print{.against,.more:not([open]){display:none}.scroll .verdicts{font-size:7pt}.scroll .verdicts th,.scroll .verdicts td{padding:3px 6px 3px 0}.verdicts th[scope=row]{min-width:8em;font-size:7pt}.verdicts .verdict{font-size:7pt;padding:1px 6px}}
${TERM_STYLE}`;
