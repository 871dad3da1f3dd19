/** The page's whole style; it follows the pages that the targets serve at `/`. */
export const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#d8dce3,#343b46);--soft:light-dark(#59616e,#a3adba);--link:light-dark(#0b57d0,#8ab4f8);
--good:light-dark(#0a6b5c,#5fd3ba);--bad:light-dark(#a5261c,#ff9d90);--loud:light-dark(#7a5200,#f0c766);--loud-bg:light-dark(#fff6e0,#332a12)}
*{box-sizing:border-box}
body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem;background:light-dark(#fff,#14171c);color:light-dark(#1b1f26,#e7eaee);overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:0}h1 small,small,.soft{color:var(--soft);font-weight:400}
h2{font-size:1.25rem;margin:2.5rem 0 .5rem}
h3{font-size:1.05rem;margin:0;display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline}
code,h3 a,td:first-child,label{font-family:ui-monospace,monospace}
a{color:var(--link)}p{margin:.25rem 0}
.loud{border-left:4px solid var(--loud);background:var(--loud-bg);padding:.5rem 1rem;margin:1rem 0}
.good{color:var(--good)}.bad{color:var(--bad)}.mark{font-size:.9rem;font-weight:600}
article{border-top:1px solid var(--line);padding:1rem 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.92rem}
th{font-weight:400;color:var(--soft);text-align:left}
th,td{padding:.2rem .75rem .2rem 0;vertical-align:top}
th,td:first-child,.number{white-space:nowrap}.number{text-align:right}
pre{white-space:pre-wrap;font-size:.85rem;margin:.25rem 0;max-height:16rem;overflow:auto}
form{display:grid;gap:.5rem;margin-top:.75rem}
form div{display:grid;grid-template-columns:7rem 9rem 1fr;gap:.25rem .75rem;align-items:baseline}
input,select,button{font:inherit;min-width:0;padding:.15rem .4rem}
button{justify-self:start;padding:.15rem .9rem}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
@media (max-width:36rem){th,td{padding-right:.5rem;font-size:.85rem}form div{grid-template-columns:1fr}}
`;
