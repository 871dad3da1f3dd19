export { buildOwnApp, type OwnApp } from "./own-app.ts";
export { casesByRoute } from "./routes.ts";
