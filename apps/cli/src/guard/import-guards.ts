import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { GUARD_SET_FILE, GUARD_SET_FILES } from '@phaseline/domain';
import { importFiles, readGuardFiles, settingsFiles, type GuardSetFile } from '@phaseline/hooks';
import { getDefinitionFolders } from '../agents/definition-folders.js';
import { UsageError } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { toPrintable } from '../output/printable.js';
import { projectRoot } from '../stack/project-files.js';
import { renderGuardSetFile, renderImport } from './guard-set-file.js';

export interface ImportOptions {
  readonly agent?: string;
  readonly name?: string;
  readonly owner?: string;
  readonly allowUnsupported?: boolean;
}

const NAME = /^[a-z][a-z0-9-]{0,62}$/;

/**
 * `phaseline guards import DIR`: reads hooks of Claude Code and their scripts, and with `--agent` copies them into a guard set of the agent.
 * Exit code 1, and nothing is written, if something is invalid, or if something never fires here and `--allow-unsupported` is not given.
 */
export async function importGuards(
  { out, env, currentDirectory }: CommandContext,
  folder: string,
  { agent, name: givenName, owner = 'unknown', allowUnsupported = false }: ImportOptions,
): Promise<ExitCode> {
  const source = await findSource(resolve(currentDirectory, folder));
  const name = givenName ?? deriveName(source);
  if (!NAME.test(name))
    throw new UsageError(
      `'${name}' is no name of a guard set: use lower-case letters, digits and '-', and pass it with --name.`,
    );
  const target = agent === undefined ? undefined : join(await findAgentFolder(env, agent), 'guards', name);
  const files = await readGuardFiles(source);
  const imported = importFiles(files);
  const passed = imported.problems.length === 0 && (allowUnsupported || imported.unsupported.length === 0);
  if (passed && target !== undefined)
    await writeSet(target, files, renderGuardSetFile({ name, owner, version: imported.version }));
  const written = passed ? target : undefined;
  if (out.isStructured) {
    out.writeDocument({ passed, name, folder: written ?? null, files: files.map(({ path }) => path), ...imported });
    return passed ? exitCode.ok : exitCode.failed;
  }
  out.writeLines(...renderImport(imported, name).map(toPrintable), '');
  if (imported.problems.length > 0) out.writeLines('Nothing was imported. Correct what is invalid, and import again.');
  else if (!passed)
    out.writeLines('Nothing was imported. Remove what never fires here, or accept it with --allow-unsupported.');
  else if (written === undefined)
    out.writeLines('Everything can be imported. Import it into an agent of yours with --agent NAME.');
  else
    out.writeLines(
      `Written to ${written} with ${files.length} files. Jobs that are submitted from now on ask these hooks.`,
    );
  return passed ? exitCode.ok : exitCode.failed;
}

/** The folder with the settings: the given one, or its `.claude`. */
async function findSource(folder: string): Promise<string> {
  const candidates = [folder, join(folder, '.claude')];
  for (const candidate of candidates)
    for (const file of settingsFiles) if (await exists(join(candidate, file))) return candidate;
  throw new UsageError(
    `${folder} has no hooks: expected one of ${settingsFiles.join(', ')} in it or in its folder .claude.`,
  );
}

function deriveName(source: string): string {
  const own = basename(source) === '.claude' ? basename(dirname(source)) : basename(source);
  return (
    own
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^[^a-z]+|-+$/g, '')
      .slice(0, 64) || 'hooks'
  );
}

async function findAgentFolder(env: NodeJS.ProcessEnv, agent: string): Promise<string> {
  const shipped = join(projectRoot, 'agents');
  const folders = getDefinitionFolders(env).agentsDir.filter((folder) => folder !== shipped);
  for (const folder of folders.toReversed()) {
    const place = join(folder, agent);
    if (!agent.includes('/') && (await exists(join(place, 'agent.yaml')))) return place;
  }
  throw new UsageError(
    (await exists(join(shipped, agent, 'agent.yaml')))
      ? `The agent ${agent} comes with Phaseline and is not changed. Make an agent of your own with 'extends: ${agent}' in a folder that PHASELINE_AGENTS_DIR names.`
      : `There is no agent ${agent} in the folders of PHASELINE_AGENTS_DIR (${folders.join(', ') || 'none'}).`,
  );
}

/** Replaces the guard set as a whole, so that no file of an earlier version remains. */
async function writeSet(target: string, files: readonly GuardSetFile[], description: string): Promise<void> {
  const draft = `${target}.new`;
  await rm(draft, { recursive: true, force: true });
  for (const { path, content, isExecutable } of files) {
    const file = join(draft, GUARD_SET_FILES, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    if (isExecutable) await chmod(file, 0o755);
  }
  await writeFile(join(draft, GUARD_SET_FILE), description);
  await rm(target, { recursive: true, force: true });
  await rename(draft, target);
}

async function exists(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}
