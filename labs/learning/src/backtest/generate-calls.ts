import type { Reply } from '@phaseline/harness';
import { SeededRandom } from '@phaseline/harness';

export const TOOLS = ['read_file', 'write_file', 'append_file', 'delete_file', 'list_files', 'unknown_tool'];
export const PATHS = ['work/a.txt', 'work/b.txt', 'notes/plan.md', 'src/main.ts', 'instructions.md', '../outside.txt'];
export const TEXTS = ['one\n', 'two\nlines\n', 'a text that is longer\n', ''];

/** Generates answers of a model that makes this many calls: valid ones, calls of unknown tools and files, and bad arguments. */
export function generateAnswers(seed: number, calls: number): readonly Reply[] {
  const random = new SeededRandom(seed);
  const answers: Reply[] = [];
  for (let made = 0; made < calls;) {
    const count = Math.min(calls - made, random.between(1, 3));
    answers.push({ calls: Array.from({ length: count }, () => generateCall(random)) });
    made += count;
  }
  return answers;
}

function generateCall(random: SeededRandom): { readonly name: string; readonly arguments: object } {
  const name = random.pick(TOOLS);
  if (random.chance(0.05)) return { name, arguments: { wrong: true } };
  const path = random.pick(PATHS);
  if (name === 'write_file' || name === 'append_file')
    return { name, arguments: { path, content: random.pick(TEXTS) } };
  return { name, arguments: name === 'list_files' ? {} : { path } };
}
