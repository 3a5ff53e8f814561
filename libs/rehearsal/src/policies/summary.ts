import type { RehearsalPolicy } from '../rehearsal-policy.js';
import type { PastCall } from './past-call.js';

/** Start of the request that asks for a summary of older messages. */
const REQUEST_START = 'You summarise the conversation of an agent';
/** Introduction of the summary in later requests. */
const INTRODUCTION = 'Your summary of the earlier part of this phase, whose messages were removed:\n';
/** About 1,500 tokens, below the output limit, so that nothing is cut off. */
const MAX_CHARACTERS = 6_000;
const MAX_RESULT_CHARACTERS = 160;

const CALL_LINE = /^- ([a-z_]+) (\{.*\}) -> (.*)$/gm;

/**
 * Plays the model that summarises a conversation: one line per call, with the first line of its result. If not all calls
 * fit, the newest are kept.
 */
export const summaryPolicy: RehearsalPolicy = {
  name: 'summary',
  matches: ({ messages }) => messages[0]?.role === 'system' && (messages[0].content ?? '').startsWith(REQUEST_START),
  answer: ({ messages }) => {
    const text = messages.at(-1)?.content ?? '';
    const calls = text.matchAll(/^Agent calls ([a-z_]+) (\{.*\})\nResult: (.*)$/gm);
    const lines = [
      ...[...text.matchAll(CALL_LINE)].map(([whole]) => whole),
      ...[...calls].map(
        ([, name, args, result = '']) => `- ${name} ${args} -> ${result.slice(0, MAX_RESULT_CHARACTERS)}`,
      ),
    ];
    while (lines.join('\n').length > MAX_CHARACTERS) lines.shift();
    return { content: lines.length === 0 ? '- Nothing that has to be known.' : lines.join('\n') };
  },
};

/** Parses the calls listed in a summary in the prompt. */
export function parseSummaryCalls(system: string): readonly PastCall[] {
  const [, text = ''] = system.split(INTRODUCTION);
  return [...text.matchAll(CALL_LINE)].flatMap(([, name = '', args = '', result = '']): readonly PastCall[] => {
    try {
      return [{ name, arguments: JSON.parse(args) as PastCall['arguments'], result, shown: 'summarised' }];
    } catch {
      // The arguments were truncated.
      return [];
    }
  });
}
