export { buildOwnApp, type OwnApp, type OwnAppOptions, type OwnAppTarget } from "./own-app.ts";
