import { buildPrompt } from '@phaseline/context';
import { skillFile, type Skill } from '@phaseline/domain';
import { count, percent, type ContextSection } from './context-section.js';
import { phaseOf } from './phase-of.js';

const WORDS =
  'take each row of the table with its heading and write what it demands as one sentence that can be checked'.split(
    ' ',
  );

/*
 * Skills: a line of each in every prompt and one text on demand, against all texts in every prompt. The skills are made up, of
 * the size that skills usually have; only the ratio says something.
 */
export const skillsSection: ContextSection = {
  name: 'skills',
  run: async () => {
    const skills = Array.from({ length: 12 }, (_one, index): Skill => ({
      name: `way-of-work-${index + 1}`,
      description: `How work of the kind ${index + 1} is done, with its exceptions. Read it before the first of them.`,
    }));
    const texts = skills.map((_one, index) => textOf(index));
    const tree = Object.fromEntries(skills.map(({ name }) => [skillFile(name), { hash: '0'.repeat(64), size: 1 }]));
    const tokens = (changes: Parameters<typeof phaseOf>[0], given: readonly string[]): number =>
      buildPrompt({
        state: { ...phaseOf(changes), transcript: given.map((text) => ({ kind: 'notice', text })) },
        tools: [],
        workspaceMemory: undefined,
        maxOutputTokens: 1_000,
      }).ledger.total;
    const bare = tokens({}, []);
    const all = tokens({}, texts) - bare;
    const lines = tokens({ skills, tree }, []) - bare;
    const one = tokens({ skills, tree }, texts.slice(0, 1)) - bare;
    return [
      {
        title: `Skills: ${skills.length} of them, ${count(all / skills.length)} tokens each`,
        head: ['', 'tokens', 'saved'],
        rows: [
          ['all texts in the prompt', count(all), ''],
          ['a line each', count(lines), percent(1 - lines / all)],
          ['a line each, and one read', count(one), percent(1 - one / all)],
        ],
      },
    ];
  },
};

/** Some 1,500 tokens that are not the same from skill to skill. */
function textOf(seed: number): string {
  return Array.from({ length: 1_400 }, (_one, index) => WORDS[(index * (seed + 3)) % WORDS.length]).join(' ');
}
