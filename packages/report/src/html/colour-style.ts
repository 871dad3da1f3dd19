/** Colours of platforms after Okabe & Ito's palette for colour-blind readers, by the number that `platformColours` gives. */
export const LIGHT_COLOURS =
  "--t0:#0072b2;--t1:#d55e00;--t2:#008a64;--t3:#aa4499;--t4:#8a7000;--t5:#3d8fc4;--t6:#57606a;--t7:#b07900";
export const DARK_COLOURS =
  "--t0:#56b4e9;--t1:#ff9a4d;--t2:#3fcf9f;--t3:#e28fd3;--t4:#e6cf4a;--t5:#9ecae1;--t6:#c9d1d9;--t7:#e69f00";

/** Of `colourMark`, and of what has a class of `seriesClass`. */
export const MARK_STYLE = `${Array.from({ length: 8 }, (_, index) => `.c${index}{--c:var(--t${index})}`).join("")}
span.target{font-weight:500;display:inline-block;max-width:100%}
span.target::before{content:"";display:inline-block;width:10px;height:10px;border-radius:50%;background:var(--c);margin-right:7px;border:2px solid var(--c);vertical-align:-1px}
span.target.copy::before{background:transparent}`;

/** For a page of another style: the colours for light and dark, and the mark. */
export const COLOUR_STYLE = `:root{${LIGHT_COLOURS}}@media (prefers-color-scheme:dark){:root{${DARK_COLOURS}}}${MARK_STYLE}`;
