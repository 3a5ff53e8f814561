import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent } from '../define-event.js';
import { EventCatalogue } from '../event-catalogue.js';
import { isFromNewerRelease } from '../undecodable-event.js';
import { upcasters } from '../upcast.js';
import { allDefinitions, readAllGoldenFiles, readGoldenFile, recordGolden, getShape } from './golden-files.fixture.js';

const currentCatalogue = new EventCatalogue(allDefinitions, upcasters);
const stored = (type: string, schemaVersion: number, data: unknown) => ({
  streamId: 'golden',
  version: 1,
  type,
  schemaVersion,
  data,
});

/** `RECORD_GOLDEN=1 npx vitest run libs/domain/src/event/golden` writes missing files. */
beforeAll(() => {
  if (process.env['RECORD_GOLDEN']) allDefinitions.forEach(recordGolden);
});

const INSTRUCTIONS =
  'Logs with events of this shape exist. Raise the version in its definition, add an upcaster to upcast.ts, and run RECORD_GOLDEN=1 npx vitest run libs/domain/src/event/golden';

describe.each(allDefinitions.map((definition) => [definition.type, definition] as const))('%s', (type, definition) => {
  it('has a golden file for every version', () => {
    for (let version = 1; version <= definition.version; version += 1)
      expect(readGoldenFile(type, version), `${type}.v${version}.json is missing. ${INSTRUCTIONS}`).toBeDefined();
  });

  it('has the recorded shape of its version', () => {
    expect(getShape(definition), INSTRUCTIONS).toEqual(readGoldenFile(type, definition.version)?.shape);
  });
});

describe('the golden files', () => {
  it.each(readAllGoldenFiles().map((file) => [`${file.type}.v${file.version}`, file] as const))(
    '%s is read in the current shape without losing data',
    (_name, { type, version, examples }) => {
      expect(examples.length).toBeGreaterThan(0);
      for (const data of examples) {
        const decoded = currentCatalogue.decode(stored(type, version, data)).data;
        if (version === currentCatalogue.getVersion(type)) expect(decoded).toMatchObject(data as object);
        // Decoding is idempotent: what was read is what would be written.
        expect(currentCatalogue.decode(stored(type, currentCatalogue.getVersion(type), decoded)).data).toEqual(decoded);
      }
    },
  );

  it('belong to events that still exist', () => {
    const types = new Set(allDefinitions.map(({ type }) => type));
    expect(readAllGoldenFiles().filter(({ type }) => !types.has(type))).toEqual([]);
  });
});

describe('a later version of an event', () => {
  const second = defineEvent(
    'PhaseCancelled',
    2,
    'A possible future version.',
    z.object({ why: z.string(), by: z.string() }),
  );
  const third = { ...second, version: 3, data: z.object({ why: z.string(), by: z.string(), count: z.int() }) };
  const steps = {
    PhaseCancelled: {
      1: (data: unknown) => ({ why: (data as { reason: string }).reason, by: 'unknown' }),
      2: (data: unknown) => ({ ...(data as object), count: 1 }),
    },
  };

  it('is reached from older ones step by step', () => {
    const catalogue = new EventCatalogue([third], steps);
    const read = (version: number, data: unknown) => catalogue.decode(stored('PhaseCancelled', version, data)).data;
    expect(read(1, { reason: 'asked' })).toEqual({ why: 'asked', by: 'unknown', count: 1 });
    expect(read(2, { why: 'asked', by: 'me' })).toEqual({ why: 'asked', by: 'me', count: 1 });
    expect(read(3, { why: 'asked', by: 'me', count: 5 })).toEqual({ why: 'asked', by: 'me', count: 5 });
    for (const data of readGoldenFile('PhaseCancelled', 1)!.examples)
      expect(read(1, data)).toEqual({ why: (data as { reason: string }).reason, by: 'unknown', count: 1 });
  });

  it('is recognised as written by a newer release, unlike an invalid event', () => {
    const attempt = (type: string, version: number, data: unknown): unknown => {
      try {
        return currentCatalogue.decode(stored(type, version, data));
      } catch (error) {
        return error;
      }
    };
    expect(isFromNewerRelease(attempt('PhaseCancelled', 2, { why: 'asked', by: 'me' }))).toBe(true);
    expect(isFromNewerRelease(attempt('PhaseDreamt', 1, {}))).toBe(true);
    expect(isFromNewerRelease(attempt('PhaseCancelled', 1, { reason: 7 }))).toBe(false);
  });

  it('cannot be read without its upcaster', () => {
    expect(() => new EventCatalogue([second], {}).decode(stored('PhaseCancelled', 1, { reason: 'r' }))).toThrow(
      'no upcaster converts PhaseCancelled from version 1 to 2',
    );
  });
});
