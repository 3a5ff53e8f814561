import { createHash } from 'node:crypto';
import { mkdir, readdir, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A folder that only this process uses. */
export interface ClaimedFolder {
  readonly folder: string;
  release(): Promise<void>;
}

const MAX_PROCESSES = 1_000;

/**
 * Claims the first free folder `<root>/<host>-<n>` for this process. The claim is a socket without a file, which the kernel closes
 * when the process dies in any way; the next process then continues with the folder and its caches.
 */
export async function claimFolder(root: string): Promise<ClaimedFolder> {
  // Others may pass, because commands can run as another user, but see neither names nor the folders of processes.
  await mkdir(root, { recursive: true, mode: 0o711 });
  const place = await realpath(root);
  for (let number = 0; number < MAX_PROCESSES; number += 1) {
    const release = await listen(getSocketName(place, number));
    if (!release) continue;
    const folder = join(place, `${hostname()}-${number}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return { folder, release };
  }
  throw new Error(`more than ${MAX_PROCESSES} processes use ${place}`);
}

/**
 * Claims the folders below `root` that processes of this machine made and that no process uses now. The caller releases them. Folders of
 * other machines, whose claims cannot be seen from here, are left out.
 */
export async function claimAbandonedFolders(root: string): Promise<readonly ClaimedFolder[]> {
  const place = await realpath(root).catch(() => root);
  const names = await readdir(place).catch((): string[] => []);
  const claimed: ClaimedFolder[] = [];
  for (const name of names.toSorted()) {
    const number = Number(name.slice(hostname().length + 1));
    if (name !== `${hostname()}-${number}`) continue;
    const release = await listen(getSocketName(place, number));
    if (release) claimed.push({ folder: join(place, name), release });
  }
  return claimed;
}

function getSocketName(place: string, number: number): string {
  return `\0phaseline-work-${createHash('sha256').update(place).digest('hex').slice(0, 32)}-${number}`;
}

/** Listens on a socket. Returns a function that closes it, or undefined when another process has it. */
function listen(path: string): Promise<(() => Promise<void>) | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen({ path }, () => resolve(() => new Promise((closed) => server.close(() => closed()))));
  });
}
