import { createInterface } from 'node:readline';
import { startProgram } from './start-program.js';

/** Characters of the error output of the program that a message shows, from its end. */
const MAX_ERROR_CHARACTERS = 2_000;

/** Checks the shape of a message of the program. */
export interface MessageSchema<Message> {
  parse(value: unknown): Message;
}

/** A program of this repository that prints one message per line. */
export interface MessageProgram<Message> {
  /** Arguments of Node.js that start the program: the path of the compiled one. */
  readonly arguments: readonly string[];
  /** Written to its standard input as JSON. */
  readonly request: object;
  readonly messages: MessageSchema<Message>;
  /** Its environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Builds the error for a program that ended early. */
  readonly fail: (reason: string) => Error;
}

/** Runs a program and yields the messages that it prints. Throws the error of `fail`, or the reason of the signal. */
export async function* readProgramMessages<Message>({
  arguments: args,
  request,
  messages,
  env,
  signal,
  fail,
}: MessageProgram<Message>): AsyncGenerator<Message, void, undefined> {
  const child = startProgram(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'], signal });
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
