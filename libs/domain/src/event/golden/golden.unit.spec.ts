import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent } from '../define-event.js';
import { EventCatalogue } from '../event-catalogue.js';
import { isFromNewerRelease } from '../undecodable-event.js';
import { upcasters } from '../upcast.js';
import { allDefinitions, allGoldenFiles, goldenFile, recordGolden, shapeOf } from './golden-files.fixture.js';

const today = new EventCatalogue(allDefinitions, upcasters);
const stored = (type: string, schemaVersion: number, data: unknown) => ({
  streamId: 'golden',
  version: 1,
  type,
  schemaVersion,
  data,
});

/** `RECORD_GOLDEN=1 npx vitest run libs/domain/src/event/golden` writes the files that are missing. */
beforeAll(() => {
  if (process.env['RECORD_GOLDEN']) allDefinitions.forEach(recordGolden);
});

const howTo =
  'Logs with events of this shape exist. Raise the version in its definition, add an upcaster to upcast.ts, and run RECORD_GOLDEN=1 npx vitest run libs/domain/src/event/golden';

describe.each(allDefinitions.map((definition) => [definition.type, definition] as const))('%s', (type, definition) => {
  it('has a golden file for every version that was ever written', () => {
    for (let version = 1; version <= definition.version; version += 1)
      expect(goldenFile(type, version), `${type}.v${version}.json is missing. ${howTo}`).toBeDefined();
  });

  it('has the shape that its version was first written with', () => {
    expect(shapeOf(definition), howTo).toEqual(goldenFile(type, definition.version)?.shape);
  });
});

describe('the golden files', () => {
  it.each(allGoldenFiles().map((file) => [`${file.type}.v${file.version}`, file] as const))(
    '%s is read in today’s shape, and what it says is kept',
    (_name, { type, version, examples }) => {
      expect(examples.length).toBeGreaterThan(0);
      for (const data of examples) {
        const decoded = today.decode(stored(type, version, data)).data;
        if (version === today.versionOf(type)) expect(decoded).toMatchObject(data as object);
        // What was read is what would be written: reading it again changes nothing.
        expect(today.decode(stored(type, today.versionOf(type), decoded)).data).toEqual(decoded);
      }
    },
  );

  it('are of events that still have a name', () => {
    const types = new Set(allDefinitions.map(({ type }) => type));
    expect(allGoldenFiles().filter(({ type }) => !types.has(type))).toEqual([]);
  });
});

describe('a later version of an event', () => {
  const second = defineEvent(
    'PhaseCancelled',
    2,
    'As it may look one day.',
    z.object({ why: z.string(), by: z.string() }),
  );
  const third = { ...second, version: 3, data: z.object({ why: z.string(), by: z.string(), count: z.int() }) };
  const steps = {
    PhaseCancelled: {
      1: (data: unknown) => ({ why: (data as { reason: string }).reason, by: 'unknown' }),
      2: (data: unknown) => ({ ...(data as object), count: 1 }),
    },
  };

  it('is what older ones are brought up to, step by step', () => {
    const catalogue = new EventCatalogue([third], steps);
    const read = (version: number, data: unknown) => catalogue.decode(stored('PhaseCancelled', version, data)).data;
    expect(read(1, { reason: 'asked' })).toEqual({ why: 'asked', by: 'unknown', count: 1 });
    expect(read(2, { why: 'asked', by: 'me' })).toEqual({ why: 'asked', by: 'me', count: 1 });
    expect(read(3, { why: 'asked', by: 'me', count: 5 })).toEqual({ why: 'asked', by: 'me', count: 5 });
    for (const data of goldenFile('PhaseCancelled', 1)!.examples)
      expect(read(1, data)).toEqual({ why: (data as { reason: string }).reason, by: 'unknown', count: 1 });
  });

  it('is left to a newer release by one that does not know it, while a broken event is nobody’s', () => {
    const attempt = (type: string, version: number, data: unknown): unknown => {
      try {
        return today.decode(stored(type, version, data));
      } catch (error) {
        return error;
      }
    };
    expect(isFromNewerRelease(attempt('PhaseCancelled', 2, { why: 'asked', by: 'me' }))).toBe(true);
    expect(isFromNewerRelease(attempt('PhaseDreamt', 1, {}))).toBe(true);
    expect(isFromNewerRelease(attempt('PhaseCancelled', 1, { reason: 7 }))).toBe(false);
  });

  it('without its upcaster is a mistake that stops the reading', () => {
    expect(() => new EventCatalogue([second], {}).decode(stored('PhaseCancelled', 1, { reason: 'r' }))).toThrow(
      'no upcaster brings PhaseCancelled from version 1 to 2',
    );
  });
});
