import type { ClaimSource } from "@evenbench/core";

/** The investigation that most of the claims come from. */
export const UNPACKING: ClaimSource = {
  title: "Unpacking Cloudflare Workers CPU Performance Benchmarks",
  publisher: "Cloudflare",
  date: "2025-10-14",
};
