import type { RehearsalPolicy } from '../rehearsal-policy.js';
import type { PastCall } from './scene.js';

/** How the request for a summary of older messages begins. */
const REQUEST = 'You keep the memory of an agent';
/** How the summary is introduced in the requests that follow. */
const INTRODUCTION =
  'What happened so far in this phase, as you summarised it before the older messages were removed:\n';
/** Some 1,500 tokens: less than the answer may have, so that nothing is cut off. */
const MAX_CHARACTERS = 6_000;
const MAX_RESULT_CHARACTERS = 160;

const line = /^- ([a-z_]+) (\{.*\}) -> (.*)$/gm;

/**
 * Plays the model that shortens a conversation: one line per call, with the first line of its result. The newest calls are
 * kept where not all fit.
 */
export const summary: RehearsalPolicy = {
  name: 'summary',
  matches: ({ messages }) => messages[0]?.role === 'system' && (messages[0].content ?? '').startsWith(REQUEST),
  answer: ({ messages }) => {
    const text = messages.at(-1)?.content ?? '';
    const calls = text.matchAll(/^Agent calls ([a-z_]+) (\{.*\})\nResult: (.*)$/gm);
    const lines = [
      ...[...text.matchAll(line)].map(([whole]) => whole),
      ...[...calls].map(
        ([, name, args, result = '']) => `- ${name} ${args} -> ${result.slice(0, MAX_RESULT_CHARACTERS)}`,
      ),
    ];
    while (lines.join('\n').length > MAX_CHARACTERS) lines.shift();
    return { content: lines.length === 0 ? '- Nothing that has to be known.' : lines.join('\n') };
  },
};

/** The calls that a summary in the prompt speaks of. */
export function callsOfSummary(system: string): readonly PastCall[] {
  const [, text = ''] = system.split(INTRODUCTION);
  return [...text.matchAll(line)].flatMap(([, name = '', args = '', result = '']): readonly PastCall[] => {
    try {
      return [{ name, arguments: JSON.parse(args) as PastCall['arguments'], result, shown: 'summarised' }];
    } catch {
      // The arguments were shortened.
      return [];
    }
  });
}
