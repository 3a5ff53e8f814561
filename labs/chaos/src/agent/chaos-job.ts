import { createHash } from 'node:crypto';

/** Size of a job of the chaos agent. */
export interface JobShape {
  /** Number of tactical phases. A strategic phase runs before the first, between them and after the last. */
  readonly rounds: number;
  /** Todos per tactical phase. Each takes three remote tools in parallel and one more answer. */
  readonly todos: number;
}

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

/** Files that must be under `output/` when the job ends: path and SHA-256 of the content. */
export function expectedOutput(shape: JobShape): Readonly<Record<string, string>> {
  const files: Record<string, string> = { [RESULT_FILE]: digest(resultText(shape)) };
  for (let round = 1; round <= shape.rounds; round += 1)
    for (let todo = 1; todo <= shape.todos; todo += 1) files[partFile(round, todo)] = digest(partText(round, todo));
  return files;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
