import { describe, expect, it } from 'vitest';
import { flag, milliseconds } from './fields.js';
import { ConfigInvalid, parseConfig } from './parse-config.js';
import { serviceConfig } from './service-config.js';

const schema = serviceConfig(7403, {
  TOOL_TIMEOUT_MS: milliseconds('the time a tool may take', 60_000),
  DRY_RUN: flag('whether to pretend', false),
});
const enough = { DATABASE_URL: 'postgresql://app:secret@db:5432/phaseline' };

function problemsOf(env: NodeJS.ProcessEnv): string {
  try {
    parseConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.message;
    throw error;
  }
  throw new Error('accepted');
}

describe('parseConfig', () => {
  it('requires only a database', () => {
    expect(parseConfig(schema, enough)).toMatchObject({
      PORT: 7403,
      PHASELINE_HOST: '127.0.0.1',
      PHASELINE_QUEUE_BACKEND: 'postgres',
      PHASELINE_SHUTDOWN_TIMEOUT_MS: 10_000,
      TOOL_TIMEOUT_MS: 60_000,
      DRY_RUN: false,
      PHASELINE_API_KEYS: [],
    });
  });

  it('names all invalid variables together, and what each should be', () => {
    const message = problemsOf({ PORT: 'http', TOOL_TIMEOUT_MS: '0', LOG_LEVEL: 'loud', DRY_RUN: 'perhaps' });
    expect(message).toContain('DATABASE_URL: is missing; expected the URL of a PostgreSQL 18 database');
    expect(message).toContain('PORT: expected the HTTP port: a whole number from 0 to 65535, got "http"');
    expect(message).toContain(
      'TOOL_TIMEOUT_MS: expected the time a tool may take, in milliseconds: a whole number from 1 to 2147483647, got "0"',
    );
    expect(message).toContain('LOG_LEVEL: expected one of trace');
    expect(message).toContain('DRY_RUN: expected whether to pretend: "1" or "0", got "perhaps"');
  });

  it('does not show values that may be secrets', () => {
    const message = problemsOf({ DATABASE_URL: 'mysql://app:hunter2@db/x', PHASELINE_API_KEYS: 'tooshort' });
    expect(message).toContain('DATABASE_URL');
    expect(message).toContain('PHASELINE_API_KEYS: expected API keys of at least 16 characters');
    expect(message).not.toMatch(/hunter2|tooshort/);
  });

  it('treats an empty variable as missing', () => {
    expect(parseConfig(schema, { ...enough, REDIS_URL: '', PORT: ' ' })).toMatchObject({
      PHASELINE_QUEUE_BACKEND: 'postgres',
      PORT: 7403,
    });
  });

  it('uses Redis if its URL is set, and rejects the Redis backend without a URL', () => {
    expect(parseConfig(schema, { ...enough, REDIS_URL: 'redis://cache:6379' }).PHASELINE_QUEUE_BACKEND).toBe('redis');
    expect(
      parseConfig(schema, { ...enough, REDIS_URL: 'redis://cache:6379', PHASELINE_QUEUE_BACKEND: 'postgres' })
        .PHASELINE_QUEUE_BACKEND,
    ).toBe('postgres');
    expect(problemsOf({ ...enough, PHASELINE_QUEUE_BACKEND: 'redis' })).toContain('REDIS_URL: is missing');
  });

  it('reads a list of API keys', () => {
    const PHASELINE_API_KEYS = 'a-key-of-16-chars, another-key-of-some-length';
    expect(parseConfig(schema, { ...enough, PHASELINE_API_KEYS }).PHASELINE_API_KEYS).toHaveLength(2);
  });

  it('requires and reads no API keys if the service serves no API', () => {
    const probesOnly = serviceConfig(7403, {}, { servesApi: false });
    const env = { ...enough, PHASELINE_HOST: '0.0.0.0', PHASELINE_API_KEYS: 'a-key-of-16-chars' };
    expect(parseConfig(probesOnly, env)).toMatchObject({ PHASELINE_HOST: '0.0.0.0', PHASELINE_API_KEYS: [] });
    expect(parseConfig(probesOnly, { ...env, PHASELINE_API_KEYS: undefined }).PHASELINE_API_KEYS).toEqual([]);
  });
});
