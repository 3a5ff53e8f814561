import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ServiceProcess } from '../testing/service-process.js';
import { EnvFileInvalid, loadEnvFile } from './env-file.js';

let folder: string;
let root: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-env-'));
  root = join(folder, 'root');
  await mkdir(root);
});
afterEach(() => rm(folder, { recursive: true }));

const read = (env: NodeJS.ProcessEnv = {}) => loadEnvFile(env, { currentDirectory: folder, root });
const write = (text: string | Uint8Array, name = '.env') => writeFile(join(folder, name), text);

it('reads the file in the working directory; non-empty variables of the environment override it', async () => {
  await write(
    '# a comment\nLOG_LEVEL=warn\nexport PHASELINE_MODEL="a model"\nREDIS_URL=redis://file\nPORT=1 # why\n\n',
  );
  await writeFile(join(root, '.env'), 'LOG_LEVEL=fatal\n');
  expect(await read({ REDIS_URL: 'redis://environment', PHASELINE_MODEL: ' ' })).toEqual({
    LOG_LEVEL: 'warn',
    PHASELINE_MODEL: 'a model',
    REDIS_URL: 'redis://environment',
    PORT: '1',
  });
});

it('reads the file at the root of the project if the working directory has none, and no file if neither exists', async () => {
  expect(await read({ A: '1' })).toEqual({ A: '1' });
  await writeFile(join(root, '.env'), 'LOG_LEVEL=fatal\n');
  expect(await read()).toEqual({ LOG_LEVEL: 'fatal' });
});

it('reads the file named by PHASELINE_ENV_FILE, or no file', async () => {
  await write('LOG_LEVEL=warn\n');
  await write('LOG_LEVEL=debug\n', 'other.env');
  expect(await read({ PHASELINE_ENV_FILE: 'other.env' })).toMatchObject({ LOG_LEVEL: 'debug' });
  expect(await read({ PHASELINE_ENV_FILE: 'none' })).toEqual({ PHASELINE_ENV_FILE: 'none' });
  await expect(read({ PHASELINE_ENV_FILE: 'missing.env' })).rejects.toThrow(EnvFileInvalid);
});

it('ignores variables of the file that affect the process itself', async () => {
  await write('NODE_OPTIONS=--require=./evil.js\nLD_PRELOAD=evil.so\nPATH=.\nNODE_ENV=production\n');
  expect(await read()).toEqual({ NODE_ENV: 'production' });
});

it.each([
  ['OPENAI_API_KEY sk-secret\n', /line 1 is not of the form NAME=value/],
  ['A=1\nB="secret\nC=2\n', /the quote in line 2 is not closed/],
  [new Uint8Array([0x41, 0x3d, 0xff]), /not UTF-8/],
])('describes the error in an invalid file without showing a value: %j', async (text, message) => {
  await write(text);
  const error: unknown = await read().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EnvFileInvalid);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).not.toContain('secret');
});

it('reads values that span several lines', async () => {
  await write('KEY="one\ntwo"\nB=2\n');
  expect(await read()).toEqual({ KEY: 'one\ntwo', B: '2' });
});

it('is read when a service starts; an invalid file ends the start with the exit code for configuration errors', async () => {
  await write('DATABASE_URL=nothing-that-works\nnonsense\n', 'service.env');
  const broken = new ServiceProcess({ PHASELINE_ENV_FILE: join(folder, 'service.env') });
  expect(await broken.ended).toMatchObject({ code: 78 });
  expect(broken.output).toContain('line 2 is not of the form NAME=value');
  await write('DATABASE_URL=nothing-that-works\n', 'service.env');
  const wrong = new ServiceProcess({ PHASELINE_ENV_FILE: join(folder, 'service.env') });
  expect(await wrong.ended).toMatchObject({ code: 78 });
  expect(wrong.output).toContain('DATABASE_URL: the URL of a PostgreSQL 18 database');
});
