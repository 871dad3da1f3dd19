import type { MissingBinding } from "@evenbench/app-cloudflare/missing-bindings";

/** The settings of an app that its servers need. They hold no value of the user's own files. */
export interface HandlerSettings {
  /** Variables of the wrangler configuration. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Names of the user's variables, whose values come with the server's environment. */
  readonly names: readonly string[];
  /** Bindings to services of the platform. */
  readonly bindings: readonly MissingBinding[];
  /** Paths of the app's files, such as "/style.css", that are served before its handler is asked. */
  readonly assets: readonly string[];
}

/** The settings, which the build puts in. */
declare const HANDLER_SETTINGS: HandlerSettings;

/** The settings of the app, which its build puts in the place of this name. */
export const settings: HandlerSettings = HANDLER_SETTINGS;
