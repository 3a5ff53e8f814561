import type { PhaseEvent } from '@phaseline/domain';
import { contentHash } from '@phaseline/event-store';
import { phaseEvents } from './orchestrator-for-specs.js';

/** Content of `notes/brief.md`, the file that the parent hands to its children. */
export const TEXT = Buffer.from('The text of the parent.\n');
export const file = { hash: contentHash(TEXT), size: TEXT.byteLength };
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
    phaseEvents.wrote('notes/brief.md', file.hash, file.size),
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
          inputs: [{ path: 'notes/brief.md', ...file }],
          limits: { costMicroUsd: reserved.costMicroUsd },
        },
      },
    ]),
  ];
}
