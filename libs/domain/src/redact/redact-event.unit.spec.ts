import { describe, expect, it } from 'vitest';
import { decodeJobEvent, decodePhaseEvent } from '../event/decode-event.js';
import { jobAndPhaseDefinitions, readAllGoldenFiles } from '../event/golden/golden-files.fixture.js';
import { foldJob } from '../job/evolve-job.js';
import { jobEventDefinitions } from '../job/job-events.js';
import { isEncryptedJob } from './encrypted-job-id.js';
import { redactEvent } from './redact-event.js';
import { REDACTED_HASH, REDACTED_TEXT } from './redactor.js';
import { describeVisibleMembers } from './visible-members.fixture.js';

const latest = jobAndPhaseDefinitions.map((definition) => ({
  definition,
  examples: readAllGoldenFiles().find(
    ({ type, version }) => type === definition.type && version === definition.version,
  )!.examples as readonly Readonly<Record<string, never>>[],
}));
const jobTypes: ReadonlySet<string> = new Set(jobEventDefinitions.map(({ type }) => type));

describe.each(latest.map((entry) => [entry.definition.type, entry] as const))('a redacted %s', (type, entry) => {
  const { definition, examples } = entry;

  it('matches its schema', () => {
    for (const data of examples) {
      const stored = { streamId: 's', version: 1, type, schemaVersion: definition.version };
      const decode = jobTypes.has(type) ? decodeJobEvent : decodePhaseEvent;
      expect(() => decode({ ...stored, data: redactEvent(type, data) })).not.toThrow();
    }
  });

  it('contains nothing that a person, a model or a tool wrote', () => {
    for (const data of examples) {
      // The actor stays visible, and so does the reason of an erasure. Definitions belong to the installation.
      const visible = [
        'actor',
        'agent',
        'workflow',
        'definition',
        'settings',
        ...(type === 'JobErased' ? ['reason'] : []),
      ];
      const text = JSON.stringify(redactEvent(type, data), (key, value: unknown) =>
        visible.includes(key) ? '' : value,
      );
      // These are the texts, map keys and free-form values of the examples.
      expect(text).not.toMatch(/text \d|"key"|"any"|nested/);
    }
  });

  it('does not change when redacted again', () => {
    for (const data of examples) {
      const once = redactEvent(type, data);
      expect(redactEvent(type, once)).toEqual(once);
    }
  });
});

describe('redactEvent', () => {
  it('keeps numbers, times, ids and enumerations, and replaces texts, content hashes and maps', () => {
    const data = {
      path: 'output/salaries.csv',
      hash: 'ab'.repeat(32),
      size: 7,
      writtenAt: '2026-01-01T00:00:00.000Z',
      callId: 'call_1',
    };
    expect(redactEvent('FileWritten', data)).toEqual({
      path: REDACTED_TEXT,
      hash: REDACTED_HASH,
      size: 7,
      writtenAt: '2026-01-01T00:00:00.000Z',
      callId: 'call_1',
    });
    const asked = {
      callId: 'c',
      step: 2,
      name: 'write_file',
      arguments: { path: 'x' },
      lane: 'inline',
      effect: 'pure',
    };
    expect(redactEvent('ToolCallRequested', { ...asked, timeoutMs: 5 })).toEqual({
      ...asked,
      arguments: {},
      timeoutMs: 5,
    });
  });

  it('does not mistake a sentence from a model for a name', () => {
    const call = { callId: 'my secret is 42', name: 'tell the secret', malformed: 'secret' };
    const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
    const answer = { step: 1, model: 'm', content: 'secret', calls: [call], end: 'calls', usage };
    const shown = redactEvent('ModelResponded', { ...answer, costMicroUsd: 1, durationMs: 1 });
    expect(JSON.stringify(shown)).not.toContain('secret');
  });

  it('leaves JobErased unchanged, because nothing can be encrypted when it is written', () => {
    const data = { actor: 'ada', reason: 'asked by the customer', erasedAt: '2026-01-01T00:00:00.000Z' };
    expect(redactEvent('JobErased', data)).toEqual(data);
  });

  it('throws for an unknown event type', () => {
    expect(() => redactEvent('SomethingNew', { text: 'x' })).toThrow(/unknown event type/);
  });

  it('matches docs/reference/encrypted-events.md', async () => {
    await expect(describeVisibleMembers()).toMatchFileSnapshot('../../../../docs/reference/encrypted-events.md');
  });
});

it('an erased job folds to the same status, with the erasure', () => {
  const submitted = latest.find(({ definition }) => definition.type === 'JobSubmitted')!.examples[0]!;
  const erased = { actor: 'ada', reason: '', erasedAt: '2026-01-01T00:00:00.000Z' };
  const events = [
    { type: 'JobSubmitted', data: redactEvent('JobSubmitted', submitted) },
    { type: 'JobCancelled', data: redactEvent('JobCancelled', { actor: 'ada', reason: 'text' }) },
    { type: 'JobErased', data: redactEvent('JobErased', erased) },
  ].map(({ type, data }, index) => decodeJobEvent({ streamId: 's', version: index + 1, type, schemaVersion: 1, data }));
  expect(foldJob(events)).toMatchObject({ status: 'cancelled', version: 3, erased });
});

it.each([
  ['018f3a52-7c1e-8000-8000-000000000001', true],
  ['018f3a52-7c1e-8000-b000-000000000001', true],
  ['018f3a52-7c1e-8000-c000-000000000001', false],
  ['018f3a52-7c1e-4000-8000-000000000001', false],
  ['018f3a52-7c1e-5000-8000-000000000001', false],
  ['018F3A52-7C1E-8000-8000-00000000000A', false],
  ['job-018f3a52-7c1e-8000-8000-000000000001', false],
  ['', false],
])('the id %s alone tells whether its job is encrypted: %s', (id, isEncrypted) => {
  expect(isEncryptedJob(id)).toBe(isEncrypted);
});
