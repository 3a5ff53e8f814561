import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CodedError, type JsonObject } from '@phaseline/basics';
import {
  GUARD_SET_FILE,
  GUARD_SET_FILES,
  GUARDS_DIRECTORY,
  guardSetFolder,
  guardSetSchema,
  type CommandBody,
  type Guard,
  type GuardSet,
} from '@phaseline/domain';
import { importFiles, readGuardFiles, type GuardSetFile, type HookHandler, type ImportedSet } from '@phaseline/hooks';
import { InvalidDefinitions, type DefinitionProblem } from '../definition-errors.js';
import { readYamlFile } from '../yaml/read-yaml-file.js';
import { hashContent } from './content-hash.js';
import type { AgentFile } from './load-skills.js';

export interface LoadedGuardSets {
  /** One guard per hook. */
  readonly guards: readonly Guard[];
  /** Files of the sets, which are copied into every job of the agent. */
  readonly files: readonly AgentFile[];
}

/** One imported guard set. */
export interface LoadedGuardSet {
  readonly name: string;
  /** One guard per hook. */
  readonly guards: readonly Guard[];
  readonly files: readonly GuardSetFile[];
}

/**
 * Loads the imported guard sets of an agent and of those that it extends: the folders with a `guard-set.yaml` below `guards`. Of sets with the
 * same name, the nearest counts as a whole. Throws InvalidDefinitions with file and reason.
 */
export async function loadGuardSets(agentDirs: readonly string[]): Promise<LoadedGuardSets> {
  const byName = new Map<string, LoadedGuardSet>();
  const problems: DefinitionProblem[] = [];
  for (const agentDir of new Set(agentDirs)) {
    for (const name of await listSets(join(agentDir, GUARDS_DIRECTORY))) {
      try {
        byName.set(name, await loadGuardSet(join(agentDir, GUARDS_DIRECTORY, name), agentDir));
      } catch (error) {
        if (!(error instanceof InvalidDefinitions)) throw error;
        problems.push(...error.problems);
      }
    }
  }
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  const sets = [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, set]) => set);
  return { guards: sets.flatMap(({ guards }) => guards), files: sets.flatMap(toAgentFiles) };
}

function toAgentFiles({ name, files }: LoadedGuardSet): readonly AgentFile[] {
  return files.map(({ path, content, isExecutable }) => ({
    path: `${guardSetFolder(name)}/${path}`,
    content,
    ...(isExecutable ? { mode: 'executable' as const } : {}),
  }));
}

/** Loads the guard set in a folder of its name. A link may lead to files inside `within`. Throws InvalidDefinitions with file and reason. */
export async function loadGuardSet(folder: string, within = folder): Promise<LoadedGuardSet> {
  const name = basename(folder);
  const file = join(folder, GUARD_SET_FILE);
  const { value, problemAt } = await readYamlFile(file, guardSetSchema, { within });
  if (value.name !== name)
    throw new InvalidDefinitions([
      problemAt(['name'], `name: expected '${name}' like the name of the folder, found '${value.name}'`),
    ]);
  const files = await readSetFiles(join(folder, GUARD_SET_FILES));
  const imported = importFiles(files);
  if (imported.version !== value.version)
    throw new InvalidDefinitions([
      problemAt(
        ['version'],
        `version: the files of the set have the version ${imported.version}. They were changed after the import; import them again with 'phaseline guards import'`,
      ),
    ]);
  if (imported.problems.length > 0)
    throw new InvalidDefinitions(
      imported.problems.map(({ place, message }) => ({
        file: join(folder, GUARD_SET_FILES),
        message: `${place}: ${message}`,
      })),
    );
  return {
    name,
    guards: imported.handlers.map((handler) => toGuard(handler, value, imported)),
    files,
  };
}

async function readSetFiles(folder: string): Promise<readonly GuardSetFile[]> {
  try {
    return await readGuardFiles(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof CodedError) && code === undefined) throw error;
    const reason = error instanceof CodedError ? error.message : `cannot be read (${code})`;
    throw new InvalidDefinitions([{ file: folder, message: reason }]);
  }
}

function toGuard(handler: HookHandler, set: GuardSet, { version, environment }: ImportedSet): Guard {
  const { name, owner, stage, workflows, network = [], secrets = [], idempotent } = set;
  const decides = {
    name: `${name}.${handler.name}`,
    kind: handler.kind,
    points: [handler.point],
    onFailure: handler.kind === 'command' ? handler.onFailure : ('deny' as const),
    ...(workflows ? { workflows } : {}),
    timeoutMs: Math.ceil(handler.timeoutSeconds * 1_000),
    idempotent,
    // Handlers were read from YAML, so they are JSON; their types have no index signature.
    body: (handler.kind === 'command'
      ? ({ set: name, setVersion: version, handler, env: environment, network, secrets } satisfies CommandBody)
      : handler) as unknown as JsonObject,
  };
  return { ...decides, version: hashContent(decides), scope: 'agent', stage, owner };
}

/** Names of the folders with a guard set, in order. */
async function listSets(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new InvalidDefinitions([{ file: folder, message: `cannot be read (${error.code ?? String(error)})` }]);
  });
  const names: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
    // An import that was interrupted leaves a folder under another name.
    if (entry.name.endsWith('.new')) continue;
    const isSet = await stat(join(folder, entry.name, GUARD_SET_FILE)).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isSet)
      throw new InvalidDefinitions([
        {
          file: join(folder, entry.name),
          message: `expected a guard set with a ${GUARD_SET_FILE}; import one with 'phaseline guards import'`,
        },
      ]);
    names.push(entry.name);
  }
  return names.sort();
}
