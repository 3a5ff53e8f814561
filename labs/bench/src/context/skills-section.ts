import { buildPrompt } from '@phaseline/context';
import { skillPath, type Skill } from '@phaseline/domain';
import { formatCount, formatPercent, type ContextSection } from './context-section.js';
import { createPhase } from './create-phase.js';

const WORDS =
  'take each row of the table with its heading and write what it demands as one sentence that can be checked'.split(
    ' ',
  );

/*
 * Compares skills (one line each in every prompt, and one text on demand) with all texts in every prompt. The skills are invented and of
 * typical size; only the ratio is meaningful.
 */
export const skillsSection: ContextSection = {
  name: 'skills',
  run: async () => {
    const skills = Array.from({ length: 12 }, (_one, index): Skill => ({
      name: `way-of-work-${index + 1}`,
      description: `How work of the kind ${index + 1} is done, with its exceptions. Read it before the first of them.`,
    }));
    const texts = skills.map((_one, index) => textOf(index));
    const entry = { hash: '0'.repeat(64), size: 1, writtenAt: '2026-01-01T00:00:00.000Z' };
    const tree = Object.fromEntries(skills.map(({ name }) => [skillPath(name), entry]));
    const countPromptTokens = (changes: Parameters<typeof createPhase>[0], notices: readonly string[]): number =>
      buildPrompt({
        state: {
          ...createPhase(changes),
          conversation: { transcript: notices.map((text) => ({ kind: 'notice', text })), pendingNotices: [] },
        },
        tools: [],
        workspaceMemory: undefined,
        maxOutputTokens: 1_000,
      }).ledger.total;
    const bare = countPromptTokens({}, []);
    const all = countPromptTokens({}, texts) - bare;
    const lines = countPromptTokens({ terms: { skills }, workspace: { tree } }, []) - bare;
    const one = countPromptTokens({ terms: { skills }, workspace: { tree } }, texts.slice(0, 1)) - bare;
    return [
      {
        title: `Skills: ${skills.length} skills of ${formatCount(all / skills.length)} tokens each`,
        head: ['', 'tokens', 'saved'],
        rows: [
          ['all texts in the prompt', formatCount(all), ''],
          ['one line per skill', formatCount(lines), formatPercent(1 - lines / all)],
          ['one line per skill, one skill read', formatCount(one), formatPercent(1 - one / all)],
        ],
      },
    ];
  },
};

/** Creates a text of about 1,500 tokens that differs from skill to skill. */
function textOf(seed: number): string {
  return Array.from({ length: 1_400 }, (_one, index) => WORDS[(index * (seed + 3)) % WORDS.length]).join(' ');
}
