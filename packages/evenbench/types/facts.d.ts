// In the package this file is that of facts itself: the build puts it beside index.d.ts.
export type * from "@evenbench/report/facts";
