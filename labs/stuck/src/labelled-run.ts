import type { JsonObject } from '@phaseline/basics';
import type { StuckPattern } from '@phaseline/domain';
import type { ToolEffect } from '@phaseline/contracts';
import type { Roll } from '@phaseline/harness';

/** A tool call with its result. */
export interface Act {
  readonly tool: string;
  readonly args: JsonObject;
  readonly result: string;
  /** Set if the call failed or was refused before it ran. */
  readonly failed?: true;
  readonly effect?: ToolEffect;
  /** Files that the call wrote to the workspace. */
  readonly files?: Readonly<Record<string, string>>;
}

/** One answer: text without calls, calls, or calls of which the last completes the open todo. */
export type Turn = string | readonly Act[] | { readonly done: readonly Act[] };

/** A kind of run: its name, its label, and how to generate one. Two runs of a kind differ only in what `roll` draws. */
export interface RunKind {
  readonly name: string;
  readonly label: StuckPattern | 'fine';
  /** Further patterns that describe it correctly. */
  readonly also: readonly StuckPattern[];
  readonly play: (roll: Roll) => readonly Turn[];
}

/** A kind of run that is stuck: `patterns` are its label and any further patterns that describe it correctly. */
export function stuckRun(
  name: string,
  [label, ...also]: readonly [StuckPattern, ...StuckPattern[]],
  play: RunKind['play'],
): RunKind {
  return { name, label, also, play };
}

export function fineRun(name: string, play: RunKind['play']): RunKind {
  return { name, label: 'fine', also: [], play };
}

export function act(tool: string, args: JsonObject, result: string, more: Partial<Act> = {}): Act {
  return { tool, args, result, ...more };
}

export function failedAct(tool: string, args: JsonObject, result: string, more: Partial<Act> = {}): Act {
  return { tool, args, result, failed: true, ...more };
}

export function write(path: string, content: string): Act {
  const size = new TextEncoder().encode(content).length;
  return act('write_file', { path, content }, `Wrote ${path} (${size} bytes).`, { files: { [path]: content } });
}

/** A replacement in a file; `after` is the whole file afterwards. */
export function edit(path: string, find: string, replace: string, after: string): Act {
  return act('replace_in_file', { path, find, replace }, `Replaced 1 place in ${path}.`, { files: { [path]: after } });
}

export function read(path: string, content: string, more: JsonObject = {}): Act {
  return act('read_file', { path, ...more }, content);
}

export function list(content: string): Act {
  return act('list_files', {}, content);
}

/** A command with a result as `run_command` reports it. */
export function run(
  roll: Roll,
  program: string,
  args: readonly string[],
  output: string,
  exit = 0,
  more: Partial<Act> = {},
): Act {
  const seconds = (roll.between(3, 90) / 10).toFixed(1);
  const stdout = output === '' ? 'stdout: empty' : `stdout:\n${output}`;
  const result = `Exit code ${exit} after ${seconds} s.\n${stdout}\nstderr: empty`;
  return act('run_command', { program, args: [...args] }, result, { effect: 'once', ...more });
}

/** Like `run`, from a command line whose parts contain no spaces. */
export function command(roll: Roll, line: string, exit: number, output: string, files?: Act['files']): Act {
  const [program = '', ...args] = line.split(' ');
  return run(roll, program, args, output, exit, files && { files });
}

/** Creates `count` items, numbered from 1. */
export function createTimes<Item>(count: number, make: (index: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}

/** Creates the turns of `count` rounds, numbered from 1. */
export function createRounds(count: number, round: (index: number) => readonly Turn[]): readonly Turn[] {
  return createTimes(count, round).flat();
}

export const COMPLETE_TODO: Turn = { done: [] };

const WORDS = (
  'ledger archive retention invoice booking period auditor export index record voucher tax journal entry scan proof ' +
  'storage format access control backup log seal migration field table column query cache worker queue router module ' +
  'parser token buffer stream header schema client server handler config build deploy release branch commit test suite'
).split(' ');

/** Generates random words, so that no two texts are the same. */
export function drawProse(roll: Roll, length = 14): string {
  return Array.from({ length }, () => roll.pick(WORDS)).join(' ');
}

/** Generates a page of text in which every line differs. */
export function drawPage(roll: Roll, lines = 12): string {
  return createTimes(lines, () => drawProse(roll, 8)).join('\n');
}
