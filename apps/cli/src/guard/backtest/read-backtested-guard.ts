import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { loadGuard } from '@phaseline/definitions';
import { GUARD_SET_FILE, type Guard } from '@phaseline/domain';
import { settingsFiles } from '@phaseline/hooks';
import { UsageError } from '../../command/command-errors.js';

/** Names of files that describe commands and judges. */
const HOOK_FILES: ReadonlySet<string> = new Set([GUARD_SET_FILE, ...settingsFiles.map((path) => basename(path))]);

/** Reads the file of a rule or a script. Throws UsageError for commands and judges, and InvalidDefinitions with file, line and reason. */
export async function readBacktestedGuard(currentDirectory: string, file: string): Promise<Guard> {
  const path = resolve(currentDirectory, file);
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (HOOK_FILES.has(basename(path)) || (isFolder && (await describesHooks(path))))
    throw new UsageError(
      `${file} describes commands or judges, which go from draft to shadow without a backtest: a backtest runs no command and calls no model.`,
    );
  if (isFolder) throw new UsageError(`${file} is a folder: give the file of a rule or a script.`);
  return loadGuard(path, 'agent');
}

async function describesHooks(folder: string): Promise<boolean> {
  const found = await Promise.all(
    [GUARD_SET_FILE, ...settingsFiles].map((path) =>
      stat(join(folder, path)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
