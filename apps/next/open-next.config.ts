import { defineCloudflareConfig } from "@opennextjs/cloudflare";

// What the adapter's documentation recommends where every page is rendered for each request: no incremental cache.
export default { ...defineCloudflareConfig(), buildCommand: "next build" };
