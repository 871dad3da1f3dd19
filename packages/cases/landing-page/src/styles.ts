import type { CSSProperties } from "react";

const ink = "#1d2329";
const green = "#17423a";
const line = "1px solid #d5dbe1";
const sans = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/** Style of the bar at the page's top. */
export const header: CSSProperties = {
  display: "flex",
  justifyContent: "space-between",
  alignItems: "center",
  padding: "16px 32px",
  borderBottom: line,
  fontFamily: sans,
  color: ink,
};
/** Style of the name in that bar. */
export const brand: CSSProperties = { fontSize: 20, letterSpacing: "-0.01em", color: green };
/** Style of a link in that bar. */
export const link: CSSProperties = { marginLeft: 20, color: green, textDecoration: "none", fontSize: 15 };
/** Style of the page's contents. */
export const main: CSSProperties = {
  maxWidth: 1080,
  margin: "0 auto",
  padding: "0 32px",
  fontFamily: sans,
  color: ink,
};
/** Style of the part with the page's title. */
export const hero: CSSProperties = { padding: "72px 0 48px", textAlign: "center" };
/** Style of the page's title. */
export const title: CSSProperties = {
  fontSize: 44,
  lineHeight: 1.15,
  margin: "0 0 16px",
  letterSpacing: "-0.02em",
};
/** Style of the paragraph below the title. */
export const lead: CSSProperties = {
  fontSize: 20,
  lineHeight: 1.5,
  margin: "0 auto 28px",
  maxWidth: 720,
  color: "#3c4650",
};
/** Style of a link that looks like a button. */
export const button: CSSProperties = {
  display: "inline-block",
  padding: "12px 24px",
  borderRadius: 8,
  background: green,
  color: "#ffffff",
  textDecoration: "none",
  fontWeight: 600,
};
/** Style of a section of the page. */
export const section: CSSProperties = { padding: "40px 0", borderTop: line };
/** Style of a section's heading. */
export const heading: CSSProperties = { fontSize: 28, margin: "0 0 20px", letterSpacing: "-0.01em" };
/** Style of several cards side by side. */
export const grid: CSSProperties = {
  display: "grid",
  gridTemplateColumns: "repeat(auto-fit, minmax(280px, 1fr))",
  gap: 20,
};
/** Style of a card. */
export const card: CSSProperties = {
  padding: 20,
  margin: 0,
  border: line,
  borderRadius: 10,
  background: "#fbfcfc",
};
/** Style of a card's title. */
export const cardTitle: CSSProperties = { fontSize: 18, margin: "0 0 8px", color: green };
/** Style of a paragraph. */
export const text: CSSProperties = { fontSize: 15, lineHeight: 1.55, margin: 0, color: "#3c4650" };
/** Style of the words of a person. */
export const words: CSSProperties = { fontSize: 17, lineHeight: 1.5, margin: "0 0 10px" };
/** Style of a list. */
export const list: CSSProperties = { margin: 0, paddingLeft: 18 };
/** Style of the table. */
export const table: CSSProperties = { width: "100%", borderCollapse: "collapse", fontSize: 15 };
/** Style of a cell of the table. */
export const cell: CSSProperties = {
  padding: "10px 12px",
  borderBottom: line,
  textAlign: "left",
  verticalAlign: "top",
};
