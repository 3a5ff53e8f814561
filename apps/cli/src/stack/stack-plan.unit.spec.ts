import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { BadEnvironment } from '../command/command-errors.js';
import { describeModel } from './describe-model.js';
import { buildRehearsalEnvironment, buildServiceEnvironment } from './service-environment.js';
import { serviceNames } from './project-files.js';
import { planStack } from './stack-plan.js';

describe('the plan of a stack', () => {
  it('starts every part itself without any settings', () => {
    expect(planStack({})).toEqual({
      databaseUrl: undefined,
      queue: 'postgres',
      redisUrl: undefined,
      model: { kind: 'rehearsal' },
    });
  });

  it('uses what the environment configures', () => {
    expect(
      planStack({
        DATABASE_URL: 'postgresql://u:p@db/x',
        REDIS_URL: 'redis://cache',
        OPENAI_BASE_URL: 'http://127.0.0.1:8080/v1',
        PHASELINE_MODEL: 'qwen',
      }),
    ).toEqual({
      databaseUrl: 'postgresql://u:p@db/x',
      queue: 'redis',
      redisUrl: 'redis://cache',
      model: { kind: 'server', baseUrl: 'http://127.0.0.1:8080/v1', model: 'qwen' },
    });
  });

  it('uses the OpenAI API if only a key is given', () => {
    expect(planStack({ OPENAI_API_KEY: 'sk-x' }).model).toEqual({
      kind: 'server',
      baseUrl: 'https://api.openai.com/v1',
      model: undefined,
    });
  });

  it('prefers the option over the environment', () => {
    expect(
      planStack({ REDIS_URL: 'redis://cache', PHASELINE_QUEUE_BACKEND: 'redis' }, { queueBackend: 'postgres' }).queue,
    ).toBe('postgres');
  });

  it('treats an empty variable as not set', () => {
    expect(planStack({ DATABASE_URL: ' ', REDIS_URL: '', OPENAI_API_KEY: '', PHASELINE_QUEUE_BACKEND: '' })).toEqual(
      planStack({}),
    );
  });

  it.each([
    [{ DATABASE_URL: 'mysql://root:secret@x' }, 'DATABASE_URL'],
    [{ REDIS_URL: 'secret' }, 'REDIS_URL'],
    [{ OPENAI_BASE_URL: 'secret:8080' }, 'OPENAI_BASE_URL'],
    [{ PHASELINE_QUEUE_BACKEND: 'rabbit' }, 'PHASELINE_QUEUE_BACKEND'],
  ])('rejects %o by name without printing the value', (env, name) => {
    let error: unknown;
    try {
      planStack(env);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(BadEnvironment);
    expect((error as Error).message).toContain(name);
    expect((error as Error).message).not.toContain('secret');
  });
});

describe('the environment of a service', () => {
  const settings = {
    databaseUrl: 'postgresql://app:p@127.0.0.1/x',
    queue: 'postgres' as const,
    redisUrl: undefined,
    workspaceRoot: '/w',
    workRoot: '/work',
    repositoriesRoot: '/repositories',
    rehearsalUrl: undefined,
  };

  it("is the caller's, overridden by the settings of the stack", () => {
    expect(
      buildServiceEnvironment(
        'tool-runner',
        { LOG_LEVEL: 'debug', PORT: '1', DATABASE_URL: 'postgresql://owner@x', PHASELINE_HOST: '0.0.0.0' },
        settings,
        4_000,
      ),
    ).toEqual({
      LOG_LEVEL: 'debug',
      DATABASE_URL: 'postgresql://app:p@127.0.0.1/x',
      PHASELINE_QUEUE_BACKEND: 'postgres',
      PHASELINE_HOST: '127.0.0.1',
      PHASELINE_ENV_FILE: 'none',
      PORT: '4000',
      PHASELINE_WORKSPACES_DIR: '/w',
      PHASELINE_WORK_DIR: '/work',
      PHASELINE_REPOSITORIES_DIR: '/repositories',
      PHASELINE_SHUTDOWN_TIMEOUT_MS: '5000',
    });
  });

  it('does not contain REDIS_URL if the stack does not use Redis', () => {
    expect(buildServiceEnvironment('tool-runner', { REDIS_URL: 'redis://cache' }, settings, 1)).not.toHaveProperty(
      'REDIS_URL',
    );
  });

  it('contains only the secrets that the service needs', () => {
    const secrets = {
      OPENAI_API_KEY: 'secret-1',
      PHASELINE_API_KEYS: 'secret-2',
      PHASELINE_AUDIT_KEY_FILE: 'secret-3',
      TAVILY_API_KEY: 'secret-4',
      NEO4J_PASSWORD: 'secret-5',
      PHASELINE_EMBEDDINGS_API_KEY: 'secret-6',
      PHASELINE_API_KEY: 'secret-7',
      PHASELINE_APP_PASSWORD: 'secret-8',
      PGPASSWORD: 'secret-9',
    };
    const given = serviceNames.map((name) => [
      name,
      Object.entries(buildServiceEnvironment(name, secrets, settings, 1))
        .filter(([, value]) => value?.startsWith('secret-'))
        .map(([variable]) => variable),
    ]);
    expect(Object.fromEntries(given)).toEqual({
      orchestrator: ['PHASELINE_API_KEYS', 'PHASELINE_EMBEDDINGS_API_KEY'],
      'strategic-worker': ['OPENAI_API_KEY'],
      'tactical-worker': ['OPENAI_API_KEY'],
      'tool-runner': ['TAVILY_API_KEY', 'NEO4J_PASSWORD', 'PHASELINE_EMBEDDINGS_API_KEY'],
    });
  });

  it('contains no secret of another service, whichever is documented', async () => {
    const documented = await readFile(new URL('../../../../.env.example', import.meta.url), 'utf8');
    const names = [...documented.matchAll(/^#?([A-Z_]+(?:KEY|KEYS|SECRET|PASSWORD)(?:_FILE)?)=/gm)].map(
      ([, name]) => name!,
    );
    expect(names.length).toBeGreaterThan(8);
    const secrets = Object.fromEntries(names.map((name) => [name, 'secret']));
    const given = Object.entries(buildServiceEnvironment('strategic-worker', secrets, settings, 1));
    // All services read encrypted jobs, and jobs in cold storage.
    const allowed = [
      ...['OPENAI_API_KEY', 'PHASELINE_MASTER_KEY', 'PHASELINE_MASTER_KEY_FILE', 'PHASELINE_COLD_STORAGE_SECRET_KEY'],
    ];
    expect(given.flatMap(([name, value]) => (value === 'secret' && !allowed.includes(name) ? [name] : []))).toEqual([]);
  });

  it('keeps the settings of a real model server', () => {
    const given = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: 'http://model/v1', PHASELINE_MODEL: 'qwen' };
    expect(buildServiceEnvironment('tactical-worker', given, settings, 1)).toMatchObject(given);
  });

  it('points to the rehearsal server if one runs', () => {
    expect(
      buildServiceEnvironment(
        'strategic-worker',
        { PHASELINE_DEFAULT_MODEL_PROFILE: 'mine' },
        { ...settings, rehearsalUrl: 'http://127.0.0.1:9/v1' },
        1,
      ),
    ).toMatchObject({
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      OPENAI_API_KEY: 'no-key-needed',
      PHASELINE_DEFAULT_MODEL_PROFILE: 'rehearsal',
    });
  });

  it('contains no secret for the rehearsal server', () => {
    expect(
      JSON.stringify(buildRehearsalEnvironment({ PATH: '/bin', DATABASE_URL: 'postgresql://u:p@x', AWS_SECRET: 's' })),
    ).not.toMatch(/postgresql|AWS/);
  });
});

describe('the description of the model', () => {
  it('says that the rehearsal model is no language model', () => {
    expect(describeModel({ kind: 'rehearsal' })).toContain('no language model');
  });

  it('does not contain the login of the server', () => {
    expect(describeModel({ kind: 'server', baseUrl: 'http://me:secret@model/v1/', model: 'qwen' })).toBe(
      'qwen at http://model/v1',
    );
  });
});
