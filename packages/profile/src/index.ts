export { ProfileError } from "./inspector.ts";
export { type ProfileResult, type ProfileRunOptions, profile } from "./profile.ts";
export { type ProfileTargetOptions, profileTarget, type TargetProfile } from "./profile-target.ts";
export { renderProfile } from "./render.ts";
