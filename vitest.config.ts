import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/**/*.test.ts", "packages/**/*.test.tsx", "apps/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "**/.vercel/**", "**/.next/**"],
    reporters: ["default", "./packages/setup/closing-line.ts"],
    // Tests start real runtimes on machines that may be busy: the bounds only stop what hangs.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 20_000,
  },
});
