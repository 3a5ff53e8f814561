import type { PhaseEvent } from '@phaseline/domain';
import { contentHash } from '@phaseline/event-store';
import { phaseEvents } from './orchestrator-for-specs.js';

const content = Buffer.from('The text of the parent.\n');
/** The file `notes/brief.md`, which the parent hands to its children. */
export const brief = { hash: contentHash(content), size: content.byteLength };
/** Its content, as it is appended. */
export const briefBlob = { hash: brief.hash, content };
const reserved = { costMicroUsd: 2_000_000, tokens: 0 };

/** An answer with calls that delegate, as the worker records it. */
export function delegate(agents: Readonly<Record<string, string>>): PhaseEvent[] {
  const calls = Object.keys(agents).map((callId) => ({ callId, name: 'delegate', arguments: {} }));
  return [
    {
      type: 'ModelResponded',
      data: {
        ...{ step: 1, model: 'default', content: '', calls, end: 'calls', costMicroUsd: 100, durationMs: 1 },
        usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 10, estimated: false },
      },
    },
    phaseEvents.wrote('notes/brief.md', brief.hash, brief.size),
    ...Object.entries(agents).flatMap(([callId, agent]): PhaseEvent[] => [
      {
        type: 'ToolCallRequested',
        data: {
          ...{ callId, step: 1, name: 'delegate', arguments: {}, lane: 'inline', effect: 'idempotent' },
          ...{ traits: [], timeoutMs: 1_000 },
        },
      },
      {
        type: 'ChildJobRequested',
        data: {
          ...{ callId, agent, task: 'Write a text.', maxTokens: 1_000, timeoutMs: 60_000, reserved },
          inputs: [{ path: 'notes/brief.md', ...brief }],
          limits: { costMicroUsd: reserved.costMicroUsd },
        },
      },
    ]),
  ];
}
