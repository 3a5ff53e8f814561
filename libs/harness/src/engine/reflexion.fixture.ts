import type { ChatRequest } from '@phaseline/contracts';
import type { Policy, Reply } from './engine.js';
import { call, createThreePhasePolicy, DO_THE_TODO } from './scripts.js';

/** Name of the section of a prompt with the reflection. */
export const SECTION = 'LAST_ATTEMPT_AND_REFLEXION';

/** A reflection that names a call and a file of the attempt. */
export const GROUNDED = [
  '`read_file` found no missing.txt: the file was never there.',
  'Read instructions.md instead of missing.txt.',
];

/** Whether a request asks for a part of a reflection. */
export const isReflection = ({ messages }: ChatRequest): boolean =>
  messages[0]!.content.startsWith('You reflect on an attempt');

/** Returns the section of a request; empty if it has none. */
export const findSection = ({ messages }: ChatRequest): string =>
  messages.map(({ content }) => content).find((content) => content.startsWith(`## ${SECTION}`)) ?? '';

interface Play {
  /** The answers to the two questions, or what else the model does then. */
  readonly answers?: readonly string[];
  readonly reflect?: Policy;
  /** What the model does once it has read the reflection. */
  readonly work?: Policy;
}

/**
 * A model that looks for a file that does not exist until its phase fails, and that works only after it has read a reflection which names that
 * file.
 */
export function createReflectingPolicy({ answers = GROUNDED, reflect, work }: Play = {}) {
  const requests: ChatRequest[] = [];
  const answer = (): Reply => ({ content: answers[(requests.filter(isReflection).length - 1) % answers.length] ?? '' });
  const policy = createThreePhasePolicy((request, signal) => {
    if (!findSection(request).includes('missing.txt')) return call('read_file', { path: 'missing.txt' });
    return work ? work(request, signal) : DO_THE_TODO;
  });
  const counting: Policy = (request, signal) => {
    requests.push(request);
    if (isReflection(request)) return reflect ? reflect(request, signal) : answer();
    // A summary of the conversation.
    if (request.tools.length === 0) return { content: '- Wrote some parts.' };
    return policy(request, signal);
  };
  return { policy: counting, requests };
}
