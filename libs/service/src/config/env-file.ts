import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

/** A file of settings cannot be used. The message names the file and the line, and never a value. */
export class EnvFileInvalid extends Error {
  override readonly name = 'EnvFileInvalid';
  readonly code = 'ENV_FILE_INVALID';
  constructor(
    readonly file: string,
    problem: string,
  ) {
    super(`${file} cannot be used: ${problem}. Correct it, or set PHASELINE_ENV_FILE to another file or to "none".`);
  }
}

/** Names that change how processes run rather than what Phaseline does: a file beside a project must not set them. */
const NOT_SETTINGS =
  /^(NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|PATH|HOME|SHELL|LD_.*|DYLD_.*)$/;

/** The root of the project, seen from `src` and from `dist` alike. */
const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url));

export interface EnvFilePlaces {
  readonly currentDirectory?: string;
  /** Searched second. */
  readonly root?: string;
}

/**
 * The environment together with the settings of a file: the one that PHASELINE_ENV_FILE names, else `.env` in the working
 * directory, else `.env` at the root of the project. A variable that is set in the environment wins over the file, unless it is
 * set to nothing. PHASELINE_ENV_FILE=none reads no file. Throws EnvFileInvalid.
 */
export async function withEnvFile(env: NodeJS.ProcessEnv, places: EnvFilePlaces = {}): Promise<NodeJS.ProcessEnv> {
  const { currentDirectory = process.cwd(), root = projectRoot } = places;
  const given = env.PHASELINE_ENV_FILE?.trim();
  if (given === 'none') return env;
  if (given) {
    const file = resolve(currentDirectory, given);
    const settings = await settingsOf(file);
    if (settings === undefined) throw new EnvFileInvalid(file, 'PHASELINE_ENV_FILE names it, and it does not exist');
    return merged(settings, env);
  }
  for (const folder of new Set([resolve(currentDirectory), dirname(join(root, '.env'))])) {
    const settings = await settingsOf(join(folder, '.env'));
    if (settings !== undefined) return merged(settings, env);
  }
  return env;
}

/** Undefined when there is no such file. */
async function settingsOf(file: string): Promise<NodeJS.ProcessEnv | undefined> {
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
  const problem = problemIn(text);
  if (problem !== undefined) throw new EnvFileInvalid(file, problem);
  return Object.fromEntries(Object.entries(parseEnv(text)).filter(([name]) => !NOT_SETTINGS.test(name)));
}

function merged(settings: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  return { ...env, ...settings, ...Object.fromEntries(set) };
}

/** What Node's parser would pass over in silence: a line that sets nothing, and a quote that is never closed. */
function problemIn(text: string): string | undefined {
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
  return open && `the quote in line ${open.line} is never closed`;
}
