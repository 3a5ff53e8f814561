import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseConfig, readMasterKeys } from '@phaseline/service';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { orchestratorConfigSchema } from '../../apps/orchestrator/src/orchestrator-config.js';
import { toolRunnerConfig } from '../../apps/tool-runner/src/tool-runner-config.js';
import { readAuditKey } from '@phaseline/audit';
import { workerConfig } from '@phaseline/workers';
import { createComposeCheck } from './compose-schema.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly volumes?: readonly string[];
  readonly hostname?: string;
  readonly image?: string;
  readonly profiles?: readonly string[];
  readonly container_name?: string;
  readonly ports?: readonly string[];
  readonly expose?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

const compose = parse(await readFile(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const schemas: Readonly<Record<string, z.ZodType>> = {
  orchestrator: orchestratorConfigSchema,
  'strategic-worker': workerConfig(7401),
  'tactical-worker': workerConfig(7402),
  'tool-runner': toolRunnerConfig,
};
/** Settings not passed to containers: keys are files, and Docker itself stops the processes. */
const NOT_PASSED = ['PHASELINE_MASTER_KEY', 'PHASELINE_STOP_ON_STDIN_END', 'PHASELINE_WORKSPACES_DIR'];
/** Settings read before the schemas apply. */
const BEFORE_SCHEMAS = ['PHASELINE_ENV_FILE'];

function listFields(schema: z.ZodType): string[] {
  if ('in' in schema.def) return listFields(schema.def.in as z.ZodType);
  return Object.keys((schema as z.ZodObject).shape);
}

/** Substitutes variables like Docker Compose. */
function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name: string, how?: string, word = '') => {
    const value = env[name];
    if (value) return value;
    if (how === '?') throw new Error(`${name}: ${String(word)}`);
    return String(word);
  });
}

function environmentOf(name: string, env: Readonly<Record<string, string>>): Record<string, string> {
  const containerEnv = compose.services[name]!.environment ?? {};
  return Object.fromEntries(Object.entries(containerEnv).map(([key, value]) => [key, interpolate(String(value), env)]));
}

const API_KEYS = { PHASELINE_API_KEYS: 'someone=0123456789abcdef0123456789' };

describe.each(Object.keys(schemas))('the container of %s', (name) => {
  it('gets settings that its schema accepts, with only the API keys set', () => {
    const containerEnv: Record<string, string> = name === 'orchestrator' ? API_KEYS : {};
    const config = parseConfig(schemas[name]!, environmentOf(name, containerEnv)) as Record<string, unknown>;
    expect(config).toMatchObject({ PHASELINE_HOST: '0.0.0.0', PHASELINE_QUEUE_BACKEND: 'redis' });
    if (name === 'orchestrator') expect(() => environmentOf(name, {})).toThrow('set PHASELINE_API_KEYS');
  });

  it('gets every setting of its schema and no other', () => {
    const known = listFields(schemas[name]!);
    const passed = Object.keys(compose.services[name]!.environment ?? {});
    expect(passed.filter((variable) => !known.includes(variable) && !BEFORE_SCHEMAS.includes(variable))).toEqual([]);
    expect(known.filter((variable) => !passed.includes(variable) && !NOT_PASSED.includes(variable))).toEqual([]);
  });

  it('has a health check on its port, and allows its service name as a host', () => {
    const { environment, healthcheck } = compose.services[name]!;
    expect(healthcheck?.test.join(' ')).toContain(`127.0.0.1:${environment?.PORT}/health`);
    expect(interpolate(String(environment?.PHASELINE_ALLOWED_HOSTS), {}).split(',')).toContain(name);
  });

  it('runs a program that the build creates, with volumes that exist', async () => {
    const { command, volumes = [] } = compose.services[name]!;
    const bundled = command![1]!.replace(/^dist\/services\/([\w-]+)\.js$/, 'apps/$1/dist/main.js');
    const source = bundled.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
    expect((await stat(join(root, source))).isFile()).toBe(true);
    for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
  });

  it('waits for the schema, the keys and Redis', () => {
    expect(Object.keys(compose.services[name]!.depends_on ?? {}).sort()).toEqual(['keys', 'migrate', 'redis']);
  });
});

it('is a valid document of Docker Compose', () => {
  const check = createComposeCheck();
  expect(check(compose)).toEqual([]);
  const { redis } = compose.services;
  expect(check({ ...compose, services: { redis: { ...redis, helthcheck: {} } } })).toEqual([
    expect.stringContaining('helthcheck'),
  ]);
});

describe('several containers of one service', () => {
  it.each(Object.keys(schemas))('of %s have no common name and no common port on the machine', (name) => {
    const { container_name: containerName, ports = [], expose = [], environment } = compose.services[name]!;
    expect(containerName).toBeUndefined();
    const port = String(environment?.PORT);
    if (name !== 'orchestrator') return expect({ ports, expose }).toEqual({ ports: [], expose: [port] });
    expect(ports.map((one) => interpolate(one, {}))).toEqual(['127.0.0.1:7070:7070']);
    expect(ports.map((one) => interpolate(one, { PHASELINE_PUBLISHED_PORTS: '7070-7073' }))).toEqual([
      `127.0.0.1:7070-7073:${port}`,
    ]);
  });

  it('of tool-runner share the mirror and nothing else that they write to', () => {
    const { volumes = [], environment = {} } = compose.services['tool-runner']!;
    const written = volumes.filter((volume) => !volume.endsWith(':ro')).map((volume) => volume.split(':')[1]);
    expect(written).toEqual([environment.PHASELINE_WORKSPACES_DIR]);
    for (const name of ['PHASELINE_WORK_DIR', 'PHASELINE_REPOSITORIES_DIR'])
      expect(
        written.some((folder) => String(environment[name]).startsWith(folder!)),
        name,
      ).toBe(false);
  });

  it('are all found by Prometheus', async () => {
    const { scrape_configs: jobs } = parse(
      await readFile(join(root, 'examples/prometheus/prometheus.yml'), 'utf8'),
    ) as {
      scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; type: string; port: number }[] }[];
    };
    const targets = jobs.flatMap(({ dns_sd_configs: found }) => found);
    expect(targets.map(({ names, type, port }) => [names.join(), type, port])).toEqual(
      Object.keys(schemas).map((name) => [name, 'A', Number(compose.services[name]!.environment?.PORT)]),
    );
  });
});

describe('profiles', () => {
  it('add services, and nothing else depends on them', () => {
    const optional = Object.entries(compose.services).filter(([, { profiles }]) => profiles !== undefined);
    expect(optional.map(([name, { profiles }]) => [name, profiles])).toEqual([
      ['neo4j', ['graph']],
      ['prometheus', ['monitoring']],
      ['grafana', ['monitoring']],
    ]);
    const names = optional.map(([name]) => name);
    for (const [name, { depends_on: needed = {}, profiles }] of Object.entries(compose.services))
      if (!profiles)
        expect(
          Object.keys(needed).filter((one) => names.includes(one)),
          name,
        ).toEqual([]);
  });

  it('the tool-runner uses Neo4j only when it is told to, with the password of its server', () => {
    const { NEO4J_URL, ...others } = environmentOf('tool-runner', {});
    expect(NEO4J_URL).toBe('');
    expect(environmentOf('neo4j', {})['NEO4J_AUTH']).toBe(`neo4j/${others['NEO4J_PASSWORD']}`);
    const env = { NEO4J_URL: 'bolt://neo4j:7687', NEO4J_PASSWORD: 'other-password' };
    const config = parseConfig(toolRunnerConfig, environmentOf('tool-runner', env));
    expect(config).toMatchObject({ ...env, NEO4J_USER: 'neo4j' });
    expect(environmentOf('neo4j', env)['NEO4J_AUTH']).toBe('neo4j/other-password');
  });

  it('only this machine reaches what is published', () => {
    const published = Object.values(compose.services).flatMap(({ ports = [] }) => ports);
    expect(published.length).toBe(3);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

it('the database has pgvector, and every server that runs on has a health check', () => {
  expect(compose.services['postgres']!.image).toBe('pgvector/pgvector:pg18');
  const without = Object.entries(compose.services).filter(([, { healthcheck }]) => !healthcheck);
  expect(without.map(([name]) => name)).toEqual(['migrate', 'keys']);
});

it('mounted folders of this repository and volumes exist', async () => {
  const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) =>
    volumes.map((one) => one.split(':')[0]!),
  );
  const folders = mounts.filter((mount) => mount.startsWith('./'));
  expect(folders.length).toBe(3);
  for (const folder of folders) expect((await stat(join(root, folder))).isDirectory(), folder).toBe(true);
  const volumes = new Set(mounts.filter((mount) => !mount.startsWith('./')));
  expect([...volumes].sort()).toEqual(Object.keys(compose.volumes).sort());
});

it('each secret is passed only to the services that need it', () => {
  const servicesWith = (variable: string): string[] =>
    Object.keys(schemas).filter((name) => Object.hasOwn(compose.services[name]!.environment ?? {}, variable));
  expect(servicesWith('PHASELINE_API_KEYS')).toEqual(['orchestrator']);
  expect(servicesWith('PHASELINE_AUDIT_KEY_FILE')).toEqual(['orchestrator']);
  expect(servicesWith('OPENAI_API_KEY')).toEqual(['strategic-worker', 'tactical-worker']);
  expect(servicesWith('NEO4J_PASSWORD')).toEqual(['tool-runner']);
  const mounting = Object.entries(compose.services).filter(([, { volumes }]) =>
    volumes?.some((one) => one.startsWith('audit-key:')),
  );
  expect(mounting.map(([name]) => name)).toEqual(['keys', 'orchestrator']);
  expect(JSON.stringify(compose.services)).not.toContain('POSTGRES_PASSWORD":"phaseline_owner');
});

it('a mirror continues in a new container: same host name, and the same folder on a volume', () => {
  const { hostname, volumes, environment } = compose.services['tool-runner']!;
  expect(hostname).toBe('tool-runner');
  expect(volumes).toContain(`workspaces:${environment?.PHASELINE_WORKSPACES_DIR}`);
});

it('the mount points of volumes belong to the user of the image', async () => {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
  expect(dockerfile).toMatch(/chown -R node:node \.phaseline \/keys\nUSER node/);
  for (const folder of ['.phaseline/workspaces', '/keys/audit', '/keys/master']) expect(dockerfile).toContain(folder);
});

it('the generated keys are accepted by the services and are never replaced', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-keys-'));
  try {
    const makeKeys = () => run(process.execPath, [join(root, 'scripts/make-keys.mjs'), folder]);
    await makeKeys();
    const audit = await readFile(join(folder, 'audit/audit-key.pem'), 'utf8');
    const master = await readFile(join(folder, 'master/master-key'), 'utf8');
    expect((await readAuditKey(join(folder, 'audit/audit-key.pem'))).keyId).toMatch(/^[0-9a-f]{64}$/);
    expect(
      await readMasterKeys({ PHASELINE_MASTER_KEY_FILE: join(folder, 'master/master-key') } as never),
    ).toBeDefined();
    expect((await makeKeys()).stdout).toMatch(/kept .*audit-key\.pem\nkept .*master-key\n/);
    expect(await readFile(join(folder, 'audit/audit-key.pem'), 'utf8')).toBe(audit);
    expect(await readFile(join(folder, 'master/master-key'), 'utf8')).toBe(master);
    expect((await stat(join(folder, 'master/master-key'))).mode & 0o777).toBe(0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
});
