import type { CSSProperties } from "react";

const ink = "#1d2329";
const green = "#17423a";
const line = "1px solid #d5dbe1";
const sans = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

export const header: CSSProperties = {
  display: "flex",
  justifyContent: "space-between",
  alignItems: "center",
  padding: "16px 32px",
  borderBottom: line,
  fontFamily: sans,
  color: ink,
};
export const brand: CSSProperties = { fontSize: 20, letterSpacing: "-0.01em", color: green };
export const link: CSSProperties = { marginLeft: 20, color: green, textDecoration: "none", fontSize: 15 };
export const main: CSSProperties = {
  maxWidth: 1080,
  margin: "0 auto",
  padding: "0 32px",
  fontFamily: sans,
  color: ink,
};
export const hero: CSSProperties = { padding: "72px 0 48px", textAlign: "center" };
export const title: CSSProperties = {
  fontSize: 44,
  lineHeight: 1.15,
  margin: "0 0 16px",
  letterSpacing: "-0.02em",
};
export const lead: CSSProperties = {
  fontSize: 20,
  lineHeight: 1.5,
  margin: "0 auto 28px",
  maxWidth: 720,
  color: "#3c4650",
};
export const button: CSSProperties = {
  display: "inline-block",
  padding: "12px 24px",
  borderRadius: 8,
  background: green,
  color: "#ffffff",
  textDecoration: "none",
  fontWeight: 600,
};
export const section: CSSProperties = { padding: "40px 0", borderTop: line };
export const heading: CSSProperties = { fontSize: 28, margin: "0 0 20px", letterSpacing: "-0.01em" };
export const grid: CSSProperties = {
  display: "grid",
  gridTemplateColumns: "repeat(auto-fit, minmax(280px, 1fr))",
  gap: 20,
};
export const card: CSSProperties = {
  padding: 20,
  margin: 0,
  border: line,
  borderRadius: 10,
  background: "#fbfcfc",
};
export const cardTitle: CSSProperties = { fontSize: 18, margin: "0 0 8px", color: green };
export const text: CSSProperties = { fontSize: 15, lineHeight: 1.55, margin: 0, color: "#3c4650" };
export const words: CSSProperties = { fontSize: 17, lineHeight: 1.5, margin: "0 0 10px" };
export const list: CSSProperties = { margin: 0, paddingLeft: 18 };
export const table: CSSProperties = { width: "100%", borderCollapse: "collapse", fontSize: 15 };
export const cell: CSSProperties = {
  padding: "10px 12px",
  borderBottom: line,
  textAlign: "left",
  verticalAlign: "top",
};
