import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventsQuerySchema } from '../event/event-record.js';
import { atQuerySchema } from '../job/job-state.js';
import { listJobsQuerySchema, parseLabelFilter } from '../job/list-jobs.js';

describe('query strings', () => {
  it('are parsed as numbers and lists, with defaults for missing values', () => {
    expect(eventsQuerySchema.parse({})).toEqual({ after: 0, limit: 200 });
    expect(eventsQuerySchema.parse({ after: '12', limit: '5', types: 'JobSubmitted,PhaseStarted' })).toEqual({
      after: 12,
      limit: 5,
      types: ['JobSubmitted', 'PhaseStarted'],
    });
    expect(listJobsQuerySchema.parse({ statuses: ['running', 'failed,blocked'] })).toEqual({
      statuses: ['running', 'failed', 'blocked'],
      limit: 50,
    });
  });

  it.each(['', ' ', '-1', '1.5', '1e3', '0x10', 'abc', '99999999999999999999', ['1', '2']])(
    'do not take %j for a position',
    (at) => {
      expect(atQuerySchema.safeParse({ at }).success).toBe(false);
    },
  );

  it('are rejected for a limit out of bounds, an unknown status or a misspelt filter', () => {
    expect(eventsQuerySchema.safeParse({ limit: '1001' }).success).toBe(false);
    expect(eventsQuerySchema.safeParse({ limit: '0' }).success).toBe(false);
    expect(listJobsQuerySchema.safeParse({ statuses: 'done' }).success).toBe(false);
    expect(listJobsQuerySchema.safeParse({ agnet: 'creator' }).success).toBe(false);
  });

  it('are described as numbers and lists for OpenAPI', () => {
    const described = z.toJSONSchema(eventsQuerySchema, { io: 'input' }) as {
      $defs: Record<string, { properties: unknown; required?: string[] }>;
    };
    expect(described.$defs['EventsQuery']?.properties).toMatchObject({
      after: { type: 'integer', minimum: 0 },
      limit: { type: 'integer', maximum: 1_000 },
      types: { type: 'array' },
    });
    expect(described.$defs['EventsQuery']?.required).toBeUndefined();
  });

  it('filter by a label or by its value, which may contain an equals sign', () => {
    expect(parseLabelFilter('team')).toEqual({ key: 'team' });
    expect(parseLabelFilter('query=a=b')).toEqual({ key: 'query', value: 'a=b' });
  });
});
