import { readSystemFile } from "./system-file.ts";

/** The state TCP_LISTEN in /proc/net/tcp. */
const LISTENING = "0A";

/**
 * Addresses that this machine alone reaches, as /proc/net/tcp and tcp6 write them: 127.0.0.0/8 with its bytes turned
 * round, ::1, and 127.0.0.1 as an address of IPv6.
 */
const OF_LOOPBACK = /^(?:[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF00000100007F)$/;

/** Tells whether a port listens for other machines, too; false where the system does not say it. */
export function isOpenToOthers(port: number): boolean {
  const inPort = port.toString(16).toUpperCase().padStart(4, "0");
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) => readSystemFile(path).split("\n"));
  return rows.some((row) => {
    const [, local = "", , state] = row.trim().split(/\s+/);
    const [address = "", ofRow] = local.split(":");
    return state === LISTENING && ofRow === inPort && !OF_LOOPBACK.test(address);
  });
}
