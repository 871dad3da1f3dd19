// What of this process's environment others get: what is listed here, and what the user named. No list has a token, a
// password or a setting of Evenbench's own, and none has NODE_OPTIONS, which would change what is measured.
import { resolve } from "node:path";

/** Variables that a program needs to run at all; nothing in them changes what it computes. */
const FOR_ALL: readonly string[] = ["PATH", "HOME", "SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA"];

/** Variables that name the folder for temporary files. */
const TEMPORARY: readonly string[] = ["TMPDIR", "TEMP", "TMP"];

/** Variables by which a user's tools and servers find what is installed, their settings, and the network. */
const FOR_TOOLS: readonly string[] = (
  "USER LOGNAME SHELL LANG LANGUAGE TZ TERM " +
  "APPDATA COMSPEC PATHEXT PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) WINDIR " +
  "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME " +
  "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS SSH_AUTH_SOCK " +
  "COREPACK_HOME PNPM_HOME NVM_DIR VOLTA_HOME BUN_INSTALL DENO_DIR " +
  "JAVA_HOME VIRTUAL_ENV GEM_HOME GOPATH LD_LIBRARY_PATH"
).split(" ");

/**
 * Variables of a package manager that say where it finds packages, and where it keeps them, as npm and pnpm take them:
 * with or without a scope. What signs in to a registry stands in the file that `userconfig` names.
 */
const OF_PACKAGE_MANAGERS =
  /^(?:LC_[A-Z]+|npm_config_(?:(?:@[^:/]+:)?registry|cache|cafile|userconfig|globalconfig|proxy|https_proxy|noproxy|offline|prefer_offline|store_dir|strict_ssl))$/i;

type Variables = Readonly<Record<string, string>>;

/** Gives variables of this process's own by their names: those by which a tool signs in, for that tool alone. */
export function variablesNamed(pattern: RegExp): Variables {
  const named = Object.entries(process.env).filter(([name]) => pattern.test(name));
  return Object.fromEntries(named.map(([name, value = ""]) => [name, value]));
}

/** Gives the variables of this process's own that a test takes. */
function passed(isPassed: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    const upper = name.toUpperCase();
    if (value && TEMPORARY.includes(upper)) {
      // A program runs in another folder, where a relative path is another place.
      kept[name] = resolve(value);
    } else if (value !== undefined && (FOR_ALL.includes(upper) || isPassed(name))) {
      kept[name] = value;
    }
  }
  return kept;
}

/** Makes the environment of a program that is to get nothing of the caller's own settings. @param extra is added. */
export function bareEnvironment(extra: Variables = {}): Record<string, string> {
  return { ...passed(() => false), ...extra };
}

/**
 * Makes the environment of a server of ours that is measured. It has none of the caller's own settings: NODE_OPTIONS
 * or a locale must not change what is measured.
 *
 * @param extra variables that are added.
 */
export function serverEnvironment(extra: Variables = {}): Record<string, string> {
  return bareEnvironment({ NODE_ENV: "production", TZ: "UTC", ...extra });
}

/**
 * Makes the environment of tools, of builds, and of servers that a user's own command starts.
 *
 * @param extra variables that are added: what the user named.
 */
export function toolEnvironment(extra: Variables = {}): Record<string, string> {
  const isTools = (name: string) => FOR_TOOLS.includes(name.toUpperCase()) || OF_PACKAGE_MANAGERS.test(name);
  return { ...passed(isTools), ...extra };
}
