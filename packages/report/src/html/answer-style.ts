import { TERM_STYLE } from "./term.ts";

/**
 * Of the first screen, the table of verdicts, and words that are explained. Below 900 pixels rows of the
 * table are cards.
 */
export const ANSWER_STYLE = `
.notices{margin:10px 0;font-size:14px}.notices summary{color:var(--ink);font-size:14px;padding:2px 0}.notices .void strong{color:var(--slower)}.notices ul{margin:2px 0 8px;padding-left:20px}
.place{color:var(--soft);font-size:14px;margin:0 0 14px;max-width:none}
.overview table{table-layout:fixed}.overview th.work{width:24%;font-size:14px;color:var(--ink)}
.overview th.values,.overview td.values{width:26%}.overview thead th{vertical-align:bottom}
.overview th,.overview td{padding:2px 20px 2px 0}.overview tbody tr>*{border-top:1px solid var(--line)}
.overview tbody th{line-height:1.25}.overview tbody a{color:var(--ink)}.overview tbody th small{display:block;font-weight:400}
.overview .value{display:block;line-height:22px;font-size:14px;white-space:nowrap;color:var(--soft)}.overview .value.decided{font-weight:600;color:var(--ink)}
.overview .value .sign{display:inline-block;width:1.2em;color:var(--c)}.overview .sides{display:flex;justify-content:space-between;font-weight:400}
.overview .key{max-width:none;margin:6px 0}.overview .legend .target{margin-right:14px}.soft{color:var(--soft)}
.against{font-size:14px;margin:10px 0}.against a{display:inline-block;padding:3px 8px;margin-right:4px;border:1px solid var(--line);border-radius:4px}.against a[aria-current]{border-color:var(--ink);color:var(--ink);font-weight:600}
.more{margin-top:28px}.more>summary{font-size:17px}
.case{margin-top:8px;padding-top:10px}.case>details>summary h3{display:inline}
.verdicts{margin-top:28px}.verdicts table{font-size:14px}
.verdicts thead th{border-bottom:1px solid var(--line);vertical-align:bottom}
.verdicts th,.verdicts td{padding:5px 14px 5px 0;vertical-align:top}.verdicts th:last-child,.verdicts td:last-child{padding-right:0}
.verdicts tr.first td{border-top:1px solid var(--line)}.verdicts tr.kind th{padding-top:16px;font-size:15px;color:var(--ink)}
.verdicts tr.kind th::first-letter{text-transform:uppercase}
.verdicts tr:not(.first) td.col-order a{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.verdicts tr:not(.first) td.col-order a:focus{position:static;width:auto;height:auto;clip-path:none}
.verdicts tr:not(.first) .first-only{display:none}
.verdicts td.col-order{min-width:12em;line-height:1.35}.verdicts td.col-order a{color:var(--ink)}.verdicts td.col-order small{display:block}
.verdicts td.col-n,.verdicts td.col-time,.verdicts td.col-cpu,.verdicts th.col-n,.verdicts th.col-time,.verdicts th.col-cpu{text-align:right}
.verdicts small.cost{display:block;line-height:1.2}
.verdicts small.void{display:block;color:var(--slower);line-height:1.35;margin-top:3px;max-width:22em}
.verdicts .sign{font-weight:600}.sign.faster{color:var(--faster)}.sign.slower{color:var(--slower)}
.filter{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:center;font-size:14px;color:var(--soft);margin-bottom:8px}.filter[hidden]{display:none}
.filter select{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--soft);border-radius:4px;padding:3px 6px;min-width:0;max-width:100%}.filter label{display:flex;gap:6px;align-items:center;max-width:100%;min-width:0}.filter output{margin-left:auto}
.key a{text-decoration:underline}
@media screen and (max-width:900px){
.verdicts small.cost{display:none}.overview table,.overview thead,.overview tbody{display:block}
.overview tr{display:grid;grid-template-columns:minmax(0,1fr) 12.5em;column-gap:10px}.overview th.work{width:auto;grid-column:1/-1}.overview thead th.work,.overview thead th.values{display:none}
.overview tbody th small{display:inline;margin-left:6px}.overview th,.overview td{padding-right:0;min-width:0}.overview td.values,.overview th.values{width:auto}.overview tbody tr>td{border-top:0}.overview .value{font-size:13px}.overview svg.axis text{font-size:10px}
.verdicts table,.verdicts tbody,.verdicts thead{display:block}
.verdicts thead tr{display:flex;flex-wrap:wrap;gap:2px 16px;padding-bottom:6px;border-bottom:1px solid var(--line)}.verdicts thead th{border:0;padding:2px 0}
.verdicts tbody tr{display:grid;grid-template-columns:minmax(0,1fr) auto;padding:6px 0;gap:0 12px;align-items:baseline}.verdicts tbody tr[hidden]{display:none}
.verdicts tr.first{border-top:1px solid var(--line)}.verdicts td,.verdicts tr.first td{border:0;padding:1px 0}
.verdicts td.col-order{grid-column:1/-1;min-width:0;font-size:16px}.verdicts tr:not(.first) td.col-order{height:0;padding:0}
.verdicts td.col-target{white-space:normal}.verdicts td.col-verdict{grid-row:2;grid-column:2;text-align:right}
.verdicts td.col-n{order:9;grid-column:1/-1}.verdicts td.col-time,.verdicts td.col-cpu,.verdicts td.col-n{text-align:left}
.verdicts td.col-ratio,.verdicts td.col-cpu-ratio{text-align:right}.verdicts td.col-cpu::after{content:" CPU";color:var(--soft)}.verdicts td.col-n small::after{content:" trials"}
}
@media print{.filter{display:none}.verdicts table{font-size:8pt}.verdicts th,.verdicts td{padding:3px 6px 3px 0}.verdicts td.col-order{min-width:9em}.verdicts th{font-size:8pt}.verdicts td.col-ratio,.verdicts td.col-cpu-ratio{white-space:normal}.verdicts td.col-target{white-space:normal}.verdicts{margin-top:16px}}
${TERM_STYLE}`;
