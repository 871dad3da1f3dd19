/** What the page has beside the look of all pages. */
export const STYLE = `
article h3{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline}
.soft{color:var(--soft);font-weight:400}.good{color:var(--faster)}.bad{color:var(--slower)}.mark{font-size:14px;font-weight:600}
.loud{border-left:4px solid var(--caution);background:var(--caution-bg);padding:8px 16px;margin:16px 0}
article{border-top:1px solid var(--line);padding:16px 0}
.scroll{overflow-x:auto}
td{vertical-align:top}.number{text-align:right;white-space:nowrap}td:first-child{white-space:nowrap}
pre{white-space:pre-wrap;font-size:13px;margin:4px 0;max-height:256px;overflow:auto}
form{display:grid;gap:8px;margin-top:12px}
form div{display:grid;grid-template-columns:112px 144px 1fr;gap:4px 12px;align-items:baseline}
label{font-family:ui-monospace,SFMono-Regular,Menlo,monospace}
input,select,article button{font:inherit;min-width:0;padding:2px 6px}
article button{justify-self:start;padding:2px 14px}
@media (max-width:576px){form div{grid-template-columns:1fr}}
`;
