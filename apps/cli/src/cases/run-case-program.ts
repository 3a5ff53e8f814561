import { createInterface } from 'node:readline';
import { buildProgramEnvironment, startProgram } from '@phaseline/basics/processes';
import { caseMessageSchema, type CaseMessage, type CaseRequest } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { CasesFailed } from '../command/command-errors.js';
import { findAppMain } from '../stack/project-files.js';

/** Variables of this process that the program may need: those of the database, and those of a real model. */
const PASSED_ON = [
  ...['HOME', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'],
  ...['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'PHASELINE_MODEL', 'PHASELINE_CONTEXT_TOKENS'],
];

/** Characters of the error output of the program that a message shows, from its end. */
const MAX_ERROR_CHARACTERS = 2_000;

/**
 * Runs the program that runs and makes cases, and yields what it reports. It is a process of its own, because it loads the engine. Throws
 * NotBuilt, CasesFailed, or the reason of the signal.
 */
export async function* runCaseProgram(
  request: CaseRequest,
  { signal }: CommandContext,
  added: Readonly<Record<string, string>> = {},
): AsyncGenerator<CaseMessage, void, undefined> {
  const program = await findAppMain('case-program');
  const child = startProgram(process.execPath, [program], {
    env: buildProgramEnvironment(added, PASSED_ON),
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
  for await (const line of createInterface({ input: child.stdout })) yield caseMessageSchema.parse(JSON.parse(line));
  const code = await ended;
  if (code !== 0) throw new CasesFailed(`The program of the cases ended early. ${findReason(errors)}`);
}

/** The last error of a program, without its stack trace. */
function findReason(errors: string): string {
  const reason = errors.split('\n').findLast((line) => /^[A-Za-z]*(?:Error|Unknown|Missing|Invalid)\b.*:/.test(line));
  return reason ?? (errors.trim() === '' ? 'It gave no reason.' : errors.trim().split('\n').at(-1)!);
}
