import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '@phaseline/basics/processes';
import { BenchFailed } from '../bench-failed.js';

/** Folder of the programs of the peers. The relative path is the same from `src` and `dist`. */
export const PEERS_FOLDER = fileURLToPath(new URL('../../peers/', import.meta.url));

/**
 * Installs the packages of the peers as their lock file names them, unless they are there. They are not part of the workspaces, so that
 * `npm ci` does not download them. No script of a package is run.
 */
export async function installPeers(note: (line: string) => void): Promise<void> {
  const installed = join(PEERS_FOLDER, 'node_modules/.package-lock.json');
  const isInstalled = await access(installed).then(
    () => true,
    () => false,
  );
  if (isInstalled) return;
  note(`installing Restate, DBOS and LangGraph in ${PEERS_FOLDER} (about 300 MB, once) …`);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  // npm needs the settings of its user, such as a proxy.
  const child = startProgram('npm', args, { cwd: PEERS_FOLDER, env: process.env, stdio: ['ignore', 2, 2] });
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== 0) throw new BenchFailed(`npm ci in ${PEERS_FOLDER} failed; it needs access to the packages`);
}
