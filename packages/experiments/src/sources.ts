import type { ClaimSource } from "@evenbench/results";

/** The investigation that most of the claims come from. */
export const UNPACKING: ClaimSource = {
  title: "Unpacking Cloudflare Workers CPU Performance Benchmarks",
  publisher: "Cloudflare",
  date: "2025-10-14",
};

/** How a check for spent tokens became fast. */
export const PRIVACY_PROXY: ClaimSource = {
  title: "The double-spend check of the privacy proxy",
  publisher: "Cloudflare",
  date: null,
};

/** A comparison of ways to serve Next.js. */
export const HABR_CLUSTER: ClaimSource = {
  title: "Habr 848052",
  publisher: "Habr",
  date: "2024-10",
};

/** Questions of our own: how a choice of this benchmark bears on what it says. */
export const OWN_METHOD: ClaimSource = {
  title: "How Evenbench measures",
  publisher: "Evenbench",
  date: "2026-11",
};
