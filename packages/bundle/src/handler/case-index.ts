import type { CaseDefinition, CaseManifest, PlatformId } from "@evenbench/core";
import type { InstanceCounts } from "./instance.ts";

/** What a platform's entry tells the handler about where it runs. */
export interface HandlerOptions {
  readonly platform: PlatformId;
  /** `process.env.NODE_ENV` as the runtime has it. */
  readonly nodeEnv: string | undefined;
  /** What may differ between platforms and is reported: runtime, versions, region, limits. null: not known. */
  facts(): Readonly<Record<string, string | null>>;
  /** Whose requests are counted. Given where something beside this handler counts, too: a framework's pages. */
  readonly instance?: InstanceCounts;
}

export type Handler = (request: Request) => Promise<Response>;
/** What the artifact's index.mjs exports as `createHandler`. */
export type CreateHandler = (options: HandlerOptions) => Handler;

/** A case as an index lists it: enough to route to it and to list it without loading its module. */
export interface IndexedCase {
  readonly manifest: Pick<CaseManifest, "id" | "path" | "title" | "description" | "parameters" | "services">;
  readonly hasPins: boolean;
  /** null where something else answers the path: a framework's page, which is only listed here. */
  readonly load: (() => Promise<{ readonly default: CaseDefinition }>) | null;
}

/** What the build of an app knows and bakes in. */
export interface CaseIndex {
  /** The app's id. */
  readonly app: string;
  /** What the page at `/` says of the build: its digest, or a framework's version. */
  readonly label: string;
  /** The build's own pins. */
  readonly pins: Readonly<Record<string, string>>;
  readonly cases: readonly IndexedCase[];
}
