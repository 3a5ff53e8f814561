import { createInterface } from 'node:readline';
import { buildProgramEnvironment, startProgram } from '@phaseline/basics/processes';
import { findAppMain } from '../stack/project-files.js';

/** Variables of this process that every such program may need, to connect to the database. */
const PASSED_ON = ['HOME', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'];

/** Characters of the error output of the program that a message shows, from its end. */
const MAX_ERROR_CHARACTERS = 2_000;

/** Checks the shape of a message of the program. */
export interface MessageSchema<Message> {
  parse(value: unknown): Message;
}

interface EngineProgram<Message> {
  readonly program: Parameters<typeof findAppMain>[0];
  /** Written to its standard input as JSON. */
  readonly request: object;
  readonly messages: MessageSchema<Message>;
  /** Variables that it gets, and the names of further ones of this process. */
  readonly variables: Readonly<Record<string, string>>;
  readonly passedOn?: readonly string[];
  readonly signal: AbortSignal;
  /** Builds the error for a program that ended early. */
  readonly fail: (reason: string) => Error;
}

/**
 * Runs a program that loads the engine, which this one does not, and yields the messages that it prints, one per line. Throws NotBuilt, the error of
 * `fail`, or the reason of the signal.
 */
export async function* runEngineProgram<Message>({
  program,
  request,
  messages,
  variables,
  passedOn = [],
  signal,
  fail,
}: EngineProgram<Message>): AsyncGenerator<Message, void, undefined> {
  const child = startProgram(process.execPath, [await findAppMain(program)], {
    env: buildProgramEnvironment(variables, [...PASSED_ON, ...passedOn]),
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
  if (code !== 0) throw fail(findReason(errors));
}

/** The last error of a program, without its stack trace. */
function findReason(errors: string): string {
  const reason = errors
    .split('\n')
    .findLast((line) => /^[A-Za-z]*(?:Error|Unknown|Missing|Invalid|Unreachable)\b.*:/.test(line));
  return reason ?? (errors.trim() === '' ? 'It gave no reason.' : errors.trim().split('\n').at(-1)!);
}
