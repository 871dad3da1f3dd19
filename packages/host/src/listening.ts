import { readdirSync } from "node:fs";
import { LOOPBACK } from "./loopback.ts";
import { hasEnded } from "./mark.ts";
import { readSystemFile, readSystemLink } from "./system-file.ts";

/** A socket that listens. */
interface ListeningSocket {
  /** The address as URLs have it: "127.0.0.1", "[::1]". */
  readonly host: string;
  readonly port: number;
  /** The number by which the system knows it. */
  readonly inode: string;
}

/** The state TCP_LISTEN in /proc/net/tcp. */
const LISTENING = "0A";

/** Lists the sockets that listen on this machine; none where the system does not say it. */
function listeningSockets(): readonly ListeningSocket[] {
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) => readSystemFile(path).split("\n"));
  return rows.flatMap((row): ListeningSocket[] => {
    const [, local = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/);
    const [address = "", port = ""] = local.split(":");
    return state === LISTENING ? [{ host: hostOf(address), port: Number.parseInt(port, 16), inode }] : [];
  });
}

/** Writes an address of /proc/net/tcp or tcp6 as URLs have it. The bytes of each 32 bits are turned round in it. */
function hostOf(address: string): string {
  const bytes = Buffer.from(address, "hex").swap32();
  if (bytes.length === 4) {
    return bytes.join(".");
  }
  const groups = bytes.toString("hex").match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(":")}]`).hostname;
}

/** Addresses that this machine alone reaches. */
const OF_LOOPBACK = /^(?:127\.|\[::1\]$|\[::ffff:7f)/;

/** Tells whether a port listens for other machines, too; false where the system does not say it. */
export function isOpenToOthers(port: number): boolean {
  return listeningSockets().some((socket) => socket.port === port && !OF_LOOPBACK.test(socket.host));
}

/** Addresses that take connections to 127.0.0.1, the one first that gets them where several are listened at. */
const ASKED = [LOOPBACK, "[::ffff:7f00:1]", "0.0.0.0", "[::]"];

/** Where processes listen that are asked at a port of 127.0.0.1. */
export interface Listening {
  /** All of it, as URLs have it: "[::1]:3000". */
  readonly addresses: readonly string[];
  /** True where they listen at that port, and not at 127.0.0.1. */
  readonly isElsewhere: boolean;
  /** True where other processes take connections there. */
  readonly isTaken: boolean;
}

/** Finds where the processes listen that `list` gives; nowhere, where the system does not say it. */
export function listeningOf(list: () => readonly number[], port: number): Listening {
  // Before the processes: a worker that begins to listen meanwhile would be taken for another one's.
  const all = listeningSockets();
  const atPort = all.filter((socket) => socket.port === port);
  const asked = ASKED.map((host) => atPort.filter((socket) => socket.host === host));
  const takers = asked.find(({ length }) => length > 0) ?? [];
  const pids = list();
  const inodes = new Set(pids.flatMap(socketsOf));
  const isOwn = ({ inode }: ListeningSocket) => inodes.has(inode);
  return {
    addresses: all.filter(isOwn).map((socket) => `${socket.host}:${socket.port}`),
    isElsewhere: atPort.some(isOwn) && !takers.some(isOwn),
    isTaken: !takers.every(isOwn) && !pids.some(isHidden),
  };
}

/** Tells whether a process that runs shows nothing of what it has open, as a program with capabilities does. */
function isHidden(pid: number): boolean {
  return entriesOf(`/proc/${pid}/fd`).length === 0 && !hasEnded(pid);
}

/** Lists the numbers of a process's sockets; none where it has ended, or is not ours. */
function socketsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return entriesOf(folder).flatMap((file) => {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readSystemLink(`${folder}/${file}`)) ?? [];
    return inode ?? [];
  });
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
