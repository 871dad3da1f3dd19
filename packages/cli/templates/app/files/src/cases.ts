import { manifestsOf, type RoutedHandler, referenceCasesOf } from "@evenbench/bundle/framework";
import greeting from "./greeting.ts";
import { pages } from "./pages.ts";

/** What answers without the framework. Every id begins with the app's: no two apps have one id. */
export const handlers: readonly RoutedHandler[] = [
  ...referenceCasesOf("template-app"),
  { id: "template-app-greeting", path: "/greeting", definition: greeting },
];

export const manifests = manifestsOf(handlers, pages);
