import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { toSingleLine } from '@phaseline/basics';
import { skillSchema, SKILLS_DIRECTORY, type Skill } from '@phaseline/domain';
import { z } from 'zod';
import { InvalidDefinitions, type DefinitionProblem } from '../definition-errors.js';
import { isInside, readTextFile } from '../file/read-text-file.js';
import { parseYaml } from '../yaml/parse-yaml.js';

const MAX_SKILLS = 100;
const MAX_TEXT_BYTES = 256 * 1024;
/** Limits for all skills of one agent, because they are copied into every job. */
const MAX_FILES = 500;
const MAX_BYTES = 16 * 1024 * 1024;

/** A file that is copied into every job of an agent. */
export interface AgentFile {
  /** Path in the workspace. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly mode?: 'executable';
}

export interface LoadedSkills {
  readonly skills: readonly Skill[];
  readonly files: readonly AgentFile[];
}

/** Front matter of SKILL.md. Other keys are allowed, because skills may be written for other programs too. */
const frontMatterSchema = z.looseObject({
  name: skillSchema.shape.name,
  description: z.string().transform(toSingleLine).pipe(skillSchema.shape.description),
});

/** Loads the skills below `<agent>/skills`, each a folder with a SKILL.md, in order of their names. Throws InvalidDefinitions. */
export async function loadSkills(agentDir: string): Promise<LoadedSkills> {
  const folder = join(agentDir, SKILLS_DIRECTORY);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new InvalidDefinitions([{ file: folder, message: `cannot be read (${error.code ?? String(error)})` }]);
  });
  const names = entries.filter((entry) => !entry.name.startsWith('.')).map(({ name }) => name);
  const problems: DefinitionProblem[] = [];
  const skills: Skill[] = [];
  const files: AgentFile[] = [];
  if (names.length > MAX_SKILLS)
    problems.push({ file: folder, message: `expected at most ${MAX_SKILLS} skills, found ${names.length}` });
  for (const name of names.sort().slice(0, MAX_SKILLS)) {
    try {
      skills.push(await readSkill(join(folder, name), name, agentDir));
      files.push(...(await filesBelow(join(folder, name), agentDir)));
    } catch (error) {
      if (!(error instanceof InvalidDefinitions)) throw error;
      problems.push(...error.problems);
    }
  }
  const bytes = files.reduce((sum, { content }) => sum + content.byteLength, 0);
  if (files.length > MAX_FILES || bytes > MAX_BYTES)
    problems.push({
      file: folder,
      message: `expected at most ${MAX_FILES} files of ${MAX_BYTES} bytes together, found ${files.length} of ${bytes}`,
    });
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  return { skills, files };
}

/** SHA-256 per file, used for the hash of an agent. */
export function hashFiles(files: readonly AgentFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    files.map(({ path, content }) => [path, createHash('sha256').update(content).digest('hex')]),
  );
}

async function readSkill(folder: string, name: string, within: string): Promise<Skill> {
  const file = join(folder, 'SKILL.md');
  const text = (await readTextFile(file, { maxBytes: MAX_TEXT_BYTES, within })).replace(/^\uFEFF/, '');
  const buildError = (line: number, message: string): InvalidDefinitions =>
    new InvalidDefinitions([{ file, line, message }]);
  const lines = text.split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---')
    throw buildError(1, "expected '---', then name and description of the skill, then '---'");
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) throw buildError(lines.length, "expected '---' after the name and description of the skill");
  // An empty line replaces the marker, so that line numbers match the file.
  const parsed = parseYaml(['', ...lines.slice(1, end)].join('\n'), frontMatterSchema, { file });
  if (parsed.value.name !== name)
    throw new InvalidDefinitions([
      parsed.problemAt(['name'], `name: expected '${name}' like the name of the folder, found '${parsed.value.name}'`),
    ]);
  if (lines.slice(end + 1).every((line) => line.trim() === ''))
    throw buildError(end + 1, 'expected the text of the skill, found nothing after its description');
  return { name, description: parsed.value.description };
}

async function filesBelow(folder: string, agentDir: string): Promise<AgentFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files: AgentFile[] = [];
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(agentDir, file).split(sep).join('/');
    if (entry.isDirectory() || path.split('/').some((part) => part.startsWith('.'))) continue;
    const target = await realpath(file);
    if (!isInside(target, await realpath(agentDir)) || !(await stat(target)).isFile())
      throw new InvalidDefinitions([{ file, message: 'expected a regular file below the agent' }]);
    const { size } = await stat(target);
    if (size > MAX_BYTES)
      throw new InvalidDefinitions([{ file, message: `expected at most ${MAX_BYTES} bytes, found ${size}` }]);
    files.push({ path, content: await readFile(target) });
  }
  return files.sort((left, right) => (left.path < right.path ? -1 : 1));
}
