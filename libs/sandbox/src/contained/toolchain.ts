import { existsSync, lstatSync, readlinkSync, readdirSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';

/** Folders of programs and libraries. On most systems the short ones are links into `/usr`. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];
/**
 * What programs read of `/etc`. Nothing of it is a secret or names a user of this machine. Chromium of Debian does not start without
 * `/etc/chromium.d`.
 */
const SYSTEM_FILES = [
  '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/alternatives', '/etc/ssl/certs', '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates', '/etc/pki/tls/certs', '/etc/localtime', '/etc/mime.types', '/etc/perl', '/etc/java-21-openjdk',
  '/etc/java-17-openjdk', '/etc/fonts', '/etc/chromium.d', '/etc/protocols', '/etc/services', '/etc/magic',
]; // prettier-ignore

/** What a command can read besides its own folders. */
export interface Toolchain {
  readonly folders: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly files: readonly string[];
}

/** Finds what exists on this machine. `extra` are folders that the operator added. */
export function findToolchain(extra: readonly string[] = []): Toolchain {
  const folders: string[] = [];
  const links: { path: string; target: string }[] = [];
  for (const path of SYSTEM_FOLDERS) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) links.push({ path, target: readlinkSync(path) });
    else if (found?.isDirectory()) folders.push(path);
  }
  for (const path of [getNodeFolder(), ...extra].map((one) => resolve(one)))
    if (existsSync(path) && !isWithin(path, folders)) folders.push(path);
  return { folders, links, files: SYSTEM_FILES.filter(isReadable) };
}

/** Whether a path is one of the folders, or below one. */
export function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some(
    (folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`),
  );
}

/** Returns the installation folder of the Node.js that runs this process: the one that contains `bin/node`. */
function getNodeFolder(): string {
  const folder = dirname(process.execPath);
  return folder.endsWith('/bin') ? dirname(folder) : folder;
}

/** Whether a file exists. A folder that this user may not list would be an empty one for the command. */
function isReadable(path: string): boolean {
  try {
    if (lstatSync(path).isDirectory()) readdirSync(path);
    return existsSync(path);
  } catch {
    return false;
  }
}

/** Files of `/etc` that every sandbox has, and that differ from those of the machine. */
export function buildEtcFiles(uid: number): Readonly<Record<string, string>> {
  return {
    passwd: `root:x:0:0:root:/nonexistent:/bin/false\nagent:x:${uid}:${uid}:agent:/home/agent:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n`,
    group: `root:x:0:\nagent:x:${uid}:\nnogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  };
}

/** Folders that must exist before something can be mounted at a path, outermost first. */
export function listParents(path: string): readonly string[] {
  const parents: string[] = [];
  for (let at = dirname(path); at !== '/' && at !== '.'; at = dirname(at)) parents.unshift(at);
  return parents;
}

/**
 * Parts of `/proc` that accept writes of the user who owns the machine, even without a capability. A command of a service that runs
 * as root has that user, under another number.
 */
const GUARDED_PROC = ['sys', 'sysrq-trigger', 'irq', 'bus', 'acpi', 'scsi', 'mtrr'];

/** Returns the parts of `/proc` that a sandbox mounts without permission to write. */
export function findGuardedProc(): readonly string[] {
  return GUARDED_PROC.map((name) => `/proc/${name}`).filter((path) => existsSync(path));
}
