export { buildOwnApp, type OwnApp } from "./own-app.ts";
