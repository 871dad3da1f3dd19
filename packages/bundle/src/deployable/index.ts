export { filesOf, slashed } from "../manifest.ts";
export { nodeModules } from "../runtime-modules.ts";
export * from "./build.ts";
export * from "./build-app.ts";
export { linkPackages, sizeOfServer } from "./linked-packages.ts";
export * from "./own-adapter.ts";
export * from "./own-build.ts";
export * from "./server-platform.ts";
export * from "./source-maps.ts";
