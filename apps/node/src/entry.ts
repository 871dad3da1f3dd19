import { getHeapStatistics } from "node:v8";
import { runtimeFacts } from "@evenbench/core";
import { endAtSigterm, webServerOptions } from "@evenbench/host/web-server";
import { serve } from "srvx/node";
import { createHandler } from "#behind/artifact";

const fetch = createHandler({ platform: "node", nodeEnv: process.env.NODE_ENV, facts });
endAtSigterm(serve({ ...webServerOptions(process.env), fetch }));

declare const SRVX_VERSION: string;

function facts(): Record<string, string | null> {
  return {
    ...runtimeFacts(),
    adapter: `srvx ${SRVX_VERSION}`,
    heapLimitBytes: String(getHeapStatistics().heap_size_limit),
  };
}
