import { createHash } from 'node:crypto';

/** How much work a job of the chaos agent is. */
export interface JobShape {
  /** Tactical phases; a strategic one goes before, between and behind. */
  readonly rounds: number;
  /** Todos a tactical phase; each takes three runner tools side by side, and then one more answer. */
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

/** What must lie under `output/` in the end: path and SHA-256 of the bytes. */
export function expectedOutput(shape: JobShape): Readonly<Record<string, string>> {
  const files: Record<string, string> = { [RESULT_FILE]: digest(resultText(shape)) };
  for (let round = 1; round <= shape.rounds; round += 1)
    for (let todo = 1; todo <= shape.todos; todo += 1) files[partFile(round, todo)] = digest(partText(round, todo));
  return files;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
