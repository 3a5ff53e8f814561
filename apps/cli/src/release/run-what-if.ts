import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { buildProgramEnvironment, startProgram } from '@phaseline/basics/processes';
import type { WhatIfRequest } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { WhatIfFailed } from '../command/command-errors.js';
import { getHomeDirectory } from '../connection/home-directory.js';
import { findAppMain } from '../stack/project-files.js';

/** Variables of this process that the program may need to connect to the database. */
const PASSED_ON = ['HOME', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'];

/** Characters of the error output of the program that a message shows, from its end. */
const MAX_ERROR_CHARACTERS = 2_000;

/** Checks the shape of a message of the program. */
interface MessageSchema<Message> {
  parse(value: unknown): Message;
}

/**
 * Runs the program that decides recorded jobs again, and yields the messages that it reports. It is a process of its own, because it loads the engine. Throws
 * NotBuilt, WhatIfFailed, or the reason of the signal.
 */
export async function* runWhatIf<Message>(
  databaseUrl: string,
  request: WhatIfRequest,
  messages: MessageSchema<Message>,
  { env, currentDirectory, signal }: CommandContext,
): AsyncGenerator<Message, void, undefined> {
  const program = await findAppMain('what-if-program');
  const child = startProgram(process.execPath, [program], {
    env: buildProgramEnvironment(
      { DATABASE_URL: databaseUrl, ...findMasterKeys(env, getHomeDirectory(env, currentDirectory)) },
      PASSED_ON,
    ),
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Awaited below. Until then, a failure to start must not end this process.
  ended.catch(() => undefined);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERROR_CHARACTERS);
  });
  child.stdin.end(JSON.stringify(request));
  for await (const line of createInterface({ input: child.stdout })) yield messages.parse(JSON.parse(line));
  const code = await ended;
  if (code !== 0) throw new WhatIfFailed(`The program ended early. ${findReason(errors)}`);
}

/** Where the master keys are, as the services of a local stack are told; empty if there are none. */
function findMasterKeys(env: NodeJS.ProcessEnv, home: string): Record<string, string> {
  const { PHASELINE_MASTER_KEY: given, PHASELINE_MASTER_KEY_FILE: file } = env;
  if (given) return { PHASELINE_MASTER_KEY: given };
  if (file) return { PHASELINE_MASTER_KEY_FILE: file };
  const own = join(home, 'master-key');
  return existsSync(own) ? { PHASELINE_MASTER_KEY_FILE: own } : {};
}

/** The last error of a program, without its stack trace. */
function findReason(errors: string): string {
  const reason = errors
    .split('\n')
    .findLast((line) => /^[A-Za-z]*(?:Error|Missing|Invalid|Unreachable)\b.*:/.test(line));
  return reason ?? (errors.trim() === '' ? 'It gave no reason.' : errors.trim().split('\n').at(-1)!);
}
