import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

/** A settings file cannot be used. The message names the file and the line, but no value. */
export class EnvFileInvalid extends Error {
  override readonly name = 'EnvFileInvalid';
  readonly code = 'env_file_invalid';
  constructor(
    readonly file: string,
    problem: string,
  ) {
    super(`${file} cannot be used: ${problem}. Correct it, or set PHASELINE_ENV_FILE to another file or to "none".`);
  }
}

/** Variables that affect the process itself rather than Phaseline. A settings file must not set them. */
const PROCESS_VARIABLES =
  /^(NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|PATH|HOME|SHELL|LD_.*|DYLD_.*)$/;

/** The root of the project; the relative path is the same from `src` and from `dist`. */
const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url));

export interface EnvFileOptions {
  readonly currentDirectory?: string;
  /** Directory that is searched after `currentDirectory`. */
  readonly root?: string;
}

/**
 * Returns the environment merged with the settings file: the file named by PHASELINE_ENV_FILE, else `.env` in the working directory,
 * else `.env` at the root of the project. A variable set in the environment overrides the file unless it is empty.
 * PHASELINE_ENV_FILE=none reads no file.
 * @throws EnvFileInvalid
 */
export async function loadEnvFile(env: NodeJS.ProcessEnv, places: EnvFileOptions = {}): Promise<NodeJS.ProcessEnv> {
  const { currentDirectory = process.cwd(), root = projectRoot } = places;
  const fileName = env.PHASELINE_ENV_FILE?.trim();
  if (fileName === 'none') return env;
  if (fileName) {
    const file = resolve(currentDirectory, fileName);
    const settings = await readSettings(file);
    if (settings === undefined) throw new EnvFileInvalid(file, 'it is named by PHASELINE_ENV_FILE but does not exist');
    return mergeSettings(settings, env);
  }
  for (const folder of new Set([resolve(currentDirectory), dirname(join(root, '.env'))])) {
    const settings = await readSettings(join(folder, '.env'));
    if (settings !== undefined) return mergeSettings(settings, env);
  }
  return env;
}

/** Reads the settings of a file. Returns undefined if it does not exist. */
async function readSettings(file: string): Promise<NodeJS.ProcessEnv | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new EnvFileInvalid(file, code === 'EISDIR' ? 'it is a folder' : `it cannot be read (${code})`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new EnvFileInvalid(file, 'it is not UTF-8 text');
  }
  const problem = findProblem(text);
  if (problem !== undefined) throw new EnvFileInvalid(file, problem);
  return Object.fromEntries(Object.entries(parseEnv(text)).filter(([name]) => !PROCESS_VARIABLES.test(name)));
}

function mergeSettings(settings: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  return { ...env, ...settings, ...Object.fromEntries(set) };
}

/** Finds errors that Node's parser ignores: a line that sets nothing, and a quote that is not closed. */
function findProblem(text: string): string | undefined {
  let open: { readonly quote: string; readonly line: number } | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (open) {
      if (line.includes(open.quote)) open = undefined;
      continue;
    }
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, value] = /^(?:export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=\s*(.*)$/.exec(trimmed) ?? [];
    if (value === undefined) return `line ${index + 1} is not of the form NAME=value`;
    const quote = /^["'`]/.exec(value)?.[0];
    if (quote !== undefined && !value.slice(1).includes(quote)) open = { quote, line: index + 1 };
  }
  return open && `the quote in line ${open.line} is not closed`;
}
