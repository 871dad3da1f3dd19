export { profile } from "./profile.ts";
export { type ProfileTargetOptions, profileTarget } from "./profile-target.ts";
export { renderProfile } from "./render.ts";
