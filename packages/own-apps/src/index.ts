export { readEnvironment } from "./environment.ts";
export { buildOwnApp, type OwnApp } from "./own-app.ts";
export { casesByRoute } from "./routes.ts";
