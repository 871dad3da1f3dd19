import type { MissingBinding } from "@evenbench/app-cloudflare/missing-bindings";

/** What a build knows of an app, and its servers need. It holds no value of the user's own files. */
export interface HandlerSettings {
  /** Of the wrangler configuration. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Names of the user's variables, whose values come with the server's environment. */
  readonly names: readonly string[];
  readonly bindings: readonly MissingBinding[];
  /** Paths of the app's files, such as "/style.css", that are served before its handler is asked. */
  readonly assets: readonly string[];
}

/** Put in by the build. */
declare const HANDLER_SETTINGS: HandlerSettings;

export const settings: HandlerSettings = HANDLER_SETTINGS;
