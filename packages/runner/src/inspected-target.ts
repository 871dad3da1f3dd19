// Targets whose instances open V8's inspector.
import type { ServeOptions } from "@evenbench/core";
import { claimPort, quoteLog } from "@evenbench/host";
import {
  connectInspector,
  findServing,
  InspectorError,
  type InspectorSession,
} from "@evenbench/host/inspector";
import type { LocalTarget } from "./options.ts";
import { isOfPlatform } from "./targets.ts";

/** A target whose instances open an inspector when they start. */
export interface InspectedTarget {
  readonly target: LocalTarget;
  /** Connects to the inspector of the instance that writes a log. */
  connect(logFile: string): Promise<InspectorSession>;
}

/** Makes a target open V8's inspector when it is started. */
export async function openInspectorAtStart(target: LocalTarget): Promise<InspectedTarget> {
  // Which of the processes that a command starts opens an inspector, and where, only its log says.
  const isCommand = !isOfPlatform(target);
  const inspectPort = isCommand ? 0 : await claimPort(0);
  const serve = (options: ServeOptions) => target.platform.serve({ ...options, inspectPort });
  return {
    target: { ...target, platform: { ...target.platform, serve } },
    connect: (logFile) =>
      isCommand ? findServing(target.name, logFile) : connectOrQuoteLog(inspectPort, logFile),
  };
}

/** Connects to an inspector. Where it cannot, the runtime's own words in its log say why it opened none. */
async function connectOrQuoteLog(port: number, logFile: string): Promise<InspectorSession> {
  return connectInspector(port).catch((error: unknown) => {
    if (!(error instanceof InspectorError)) {
      throw error;
    }
    throw new InspectorError(`${error.message} Start again; it gets another port.`, [quoteLog(logFile)]);
  });
}
