import { once } from 'node:events';
import { buildProgramEnvironment, startProgram } from '@phaseline/basics/processes';
import type { VerifierDefinition } from '@phaseline/contracts';
import { removeDiskFile, type BlobReader, type Tree } from '@phaseline/workspace';
import { join } from 'node:path';
import { writeFiles } from '../checkout/write-checkout.js';
import { describeCommandEnd } from '../report/decide-outcome.js';
import type { RunCommand } from '../run/run-command.js';
import { hashCacheKey, type RunFolders, type VerifierFolders } from './verifier-folders.js';

/** Thrown when the dependencies of a verifier cannot be installed. The message is for the model. */
export class SetupFailed extends Error {
  constructor(
    message: string,
    /** Output of the set-up. */
    readonly output: string,
  ) {
    super(message);
  }
}

interface SetupOptions {
  readonly folders: VerifierFolders;
  readonly owner: number | undefined;
  readonly blobs: BlobReader;
  readonly run: RunCommand;
}

/**
 * Calls `use` with the folder into which the set-up of a verifier installed dependencies, from a cache if it was done before with the same
 * files, command and Node.js. The set-up sees only `files`, so that nothing else decides what it installs. Throws SetupFailed.
 */
export async function withDependencies<Result>(
  setup: NonNullable<VerifierDefinition['setup']>,
  { files, env }: { readonly files: Tree; readonly env: Readonly<Record<string, string>> },
  { folders, owner, blobs, run }: SetupOptions,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const named = Object.entries(files).map(([path, { hash, mode }]) => [path, hash, mode ?? 'plain']);
  const { argv, network = [] } = setup;
  // A secret decides what may be installed, not what is; so the key has only the names of variables.
  const names = Object.keys(env).sort();
  const key = hashCacheKey([argv, network, names, process.version, process.platform, process.arch, named.sort()]);
  const fill = async (place: RunFolders): Promise<void> => {
    await writeFiles(place.folder, files, blobs);
    const end = await run({ argv, cwd: '', env, network, timeoutMs: setup.timeoutMs, folders: place });
    if (end.exitCode !== 0) throw new SetupFailed(`The set-up failed. ${describeCommandEnd(end)}`, end.output);
    // What it was given is part of the claimed files, not of what it installed.
    for (const path of Object.keys(files)) await removeDiskFile(join(place.folder, path));
  };
  return folders.withCache({ key, owner }, fill, use);
}

/**
 * Copies installed dependencies into the folder of a run, so that nothing that the run writes reaches the cache. Where the file system can,
 * the copies share their blocks. They replace files that are in their place.
 */
export async function copyDependencies(from: string, to: string): Promise<void> {
  const args = ['--archive', '--reflink=auto', '--remove-destination', `${from}/.`, to];
  const child = startProgram('/bin/cp', args, { stdio: ['ignore', 'ignore', 'pipe'], env: buildProgramEnvironment() });
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-1_000)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the installed dependencies cannot be copied: ${stderr.trim()}`);
}
