import { createHash } from 'node:crypto';

/** Size of a job of the chaos agent. */
export interface JobShape {
  /** Number of tactical phases. A strategic phase runs before the first, between them and after the last. */
  readonly rounds: number;
  /** Todos per tactical phase. Each takes three remote tools in parallel and one more answer. */
  readonly todos: number;
}

/** Size of a job to which another one delegates. */
export const CHILD_SHAPE: JobShape = { rounds: 1, todos: 1 };

export const RESULT_FILE = 'output/result.txt';

export function partFile(round: number, todo: number): string {
  return `output/round-${round}-todo-${todo}.txt`;
}

export function partText(round: number, todo: number): string {
  return `round ${round}, todo ${todo}: ${digest(`${round}/${todo}`)}\n`;
}

export function resultText(shape: JobShape): string {
  return `${shape.rounds} rounds of ${shape.todos} todos\n`;
}

/** Exists while a command runs that has written a part of its files. */
export const UNFINISHED_FILE = 'output/commands/unfinished.txt';

/** A file to which each command appends one line, so that one that ran twice, or whose files were lost, shows in it. */
const LEDGER_FILE = 'output/commands/ledger.txt';

/** File with a copy of the ledger after a command. */
function copyFile(round: number, todo: number): string {
  return `output/commands/round-${round}-todo-${todo}.txt`;
}

function ledgerLine(round: number, todo: number): string {
  return `round ${round}, todo ${todo}`;
}

/** A line for a shell that appends to the ledger, waits, and copies it. */
export function commandOf(round: number, todo: number): string {
  return [
    'mkdir -p output/commands',
    `echo "${ledgerLine(round, todo)}" >> ${LEDGER_FILE}`,
    `echo half > ${UNFINISHED_FILE}`,
    'sleep 0.2',
    `cp ${LEDGER_FILE} ${copyFile(round, todo)}`,
    `rm ${UNFINISHED_FILE}`,
  ].join(' && ');
}

/** Files that the commands of a job must have left: path and SHA-256 of the content. */
export function expectedOfCommands(shape: JobShape): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  let ledger = '';
  for (let round = 1; round <= shape.rounds; round += 1)
    for (let todo = 1; todo <= shape.todos; todo += 1) {
      ledger += `${ledgerLine(round, todo)}\n`;
      files[copyFile(round, todo)] = digest(ledger);
    }
  return { ...files, [LEDGER_FILE]: digest(ledger) };
}

/** Files that must be under `output/` when the job ends: path and SHA-256 of the content. */
export function expectedOutput(shape: JobShape, result = resultText(shape)): Readonly<Record<string, string>> {
  const files: Record<string, string> = { [RESULT_FILE]: digest(result) };
  for (let round = 1; round <= shape.rounds; round += 1)
    for (let todo = 1; todo <= shape.todos; todo += 1) files[partFile(round, todo)] = digest(partText(round, todo));
  return files;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
