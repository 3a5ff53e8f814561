import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { BacktestRequest } from '@phaseline/contracts';
import { loadGuard, loadGuardSet, type LoadedGuardSet } from '@phaseline/definitions';
import { CALL_POINTS, commandBodySchema, GUARD_SET_FILE, type Guard } from '@phaseline/domain';
import { settingsFiles } from '@phaseline/hooks';
import { UsageError } from '../../command/command-errors.js';

/** The guards that a backtest tries. */
export interface BacktestedGuards {
  readonly guards: readonly Guard[];
  /** Set to run them: commands of a guard set. */
  readonly execution?: BacktestRequest['execution'];
  /** Guards of the set that a backtest cannot try. */
  readonly untested: readonly Guard[];
}

/**
 * Reads the file of a rule or a script, or with `isExecuted` the folder of a guard set. Throws UsageError for anything else, and InvalidDefinitions
 * with file, line and reason.
 */
export async function readBacktestedGuards(
  currentDirectory: string,
  file: string,
  isExecuted: boolean,
): Promise<BacktestedGuards> {
  const path = resolve(currentDirectory, file);
  const folder = (await isFolder(path)) ? path : undefined;
  const set = basename(path) === GUARD_SET_FILE ? dirname(path) : folder;
  if (set !== undefined && (await exists(join(set, GUARD_SET_FILE)))) {
    if (!isExecuted)
      throw new UsageError(
        `${file} describes commands. Add --execute to run them on recorded calls, in the sandbox; without a backtest they go from draft to shadow.`,
      );
    return readSet(await loadGuardSet(set), file);
  }
  if (settingsFiles.some((name) => basename(name) === basename(path)) || (folder && (await hasSettings(folder))))
    throw new UsageError(
      `${file} has hooks that are not imported. Import them with 'phaseline guards import', and give the folder of the guard set with --execute.`,
    );
  if (folder) throw new UsageError(`${file} is a folder: give the file of a rule or a script, or a guard set.`);
  if (isExecuted)
    throw new UsageError(`--execute runs the commands of a guard set. ${file} is a rule or a script: leave it out.`);
  return { guards: [await loadGuard(path, 'agent')], untested: [] };
}

/** Chooses the guards of a set that a backtest runs: commands about calls. */
function readSet({ name, guards, files }: LoadedGuardSet, file: string): BacktestedGuards {
  const isTested = ({ kind, points }: Guard): boolean =>
    kind === 'command' && points.some((point) => CALL_POINTS.has(point));
  const [tested, untested] = [guards.filter(isTested), guards.filter((guard) => !isTested(guard))];
  if (tested.length === 0)
    throw new UsageError(
      `${file} has no command that is asked about calls. Other commands and judges go from draft to shadow without a backtest.`,
    );
  const { network, secrets } = commandBodySchema.parse(tested[0]!.body);
  if (network.length > 0 || secrets.length > 0)
    throw new UsageError(
      `The guard set ${name} declares a network or secrets, which a backtest does not give to commands: they would decide otherwise than live. It goes from draft to shadow without a backtest.`,
    );
  return {
    guards: tested,
    execution: {
      files: files.map(({ content, ...rest }) => ({ ...rest, content: Buffer.from(content).toString('base64') })),
    },
    untested,
  };
}

async function hasSettings(folder: string): Promise<boolean> {
  const found = await Promise.all(settingsFiles.map((path) => exists(join(folder, path))));
  return found.includes(true);
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
