import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { JOB_ID, jobSummary, runningJob } from './testing/example-job.js';
import { startFakeServer, type FakeServer, type FakeServerState } from './testing/fake-server.js';

const program = fileURLToPath(new URL('../bin/phaseline.js', import.meta.url));
const built = fileURLToPath(new URL('../dist/main.js', import.meta.url));

let folder: string;
let state: FakeServerState;
let server: FakeServer;

beforeAll(() => {
  if (!existsSync(built)) throw new Error('These specs run the compiled program. Build it first: npm run build');
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-cli-'));
  state = {
    jobs: [jobSummary({ status: 'completed' })],
    events: runningJob().records,
    files: { 'output/a.json': '{"a":1}' },
  };
  server = await startFakeServer(state);
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, PHASELINE_URL: server.url, ...env },
  });
}

async function run(
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = start(args, env);
  child.stdin.end();
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...output };
}

/** Runs `phaseline … | head -n 1` in a shell. */
async function runIntoHead(args: readonly string[]): Promise<{ code: string; out: string }> {
  const line = `"$0" "$@" 2>err | head -n 1; echo "exit \${PIPESTATUS[0]}"`;
  const child = spawn('bash', ['-c', line, process.execPath, program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, PHASELINE_URL: server.url },
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  await new Promise((resolve) => child.once('close', resolve));
  const [first = '', code = ''] = out.split('\n');
  return { code, out: first };
}

describe('the program', () => {
  it('prints its help', async () => {
    const { code, out, err } = await run(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Usage: phaseline');
  });

  it('exits with the status of a job, and prints no colours on a pipe', async () => {
    state.jobs[0] = jobSummary({
      status: 'failed',
      failure: { code: 'model_failed', message: 'the model server is gone' },
    });
    const { code, out } = await run(['watch', JOB_ID]);
    expect(code).toBe(1);

    expect(out).not.toMatch(/\u001b/);
    expect(out).toContain('failed: the model server is gone (model_failed)');
  });

  it('leaves no files in the current folder', async () => {
    await run(['list']);
    await run(['list'], { PHASELINE_URL: '' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('exits silently with 0 if its reader goes away', async () => {
    // More than a pipe buffers, so that writing fails.
    state.events.push(
      ...Array.from({ length: 5_000 }, (_, index) => ({ ...state.events[0]!, position: 1_000 + index })),
    );
    const { code, out } = await runIntoHead(['events', JOB_ID, '--json']);
    expect(code).toBe('exit 0');
    expect(JSON.parse(out)).toMatchObject({ type: 'JobSubmitted' });
    expect(await readFile(join(folder, 'err'), 'utf8')).toBe('');
  });

  it('stops following if its reader goes away', async () => {
    state.isEndless = true;
    state.events.push(
      ...Array.from({ length: 5_000 }, (_, index) => ({ ...state.events[0]!, position: 1_000 + index })),
    );
    expect((await runIntoHead(['events', JOB_ID, '--follow', '--json'])).code).toBe('exit 0');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('exits on %s with 130 without cancelling the job', async (signal) => {
    state.isEndless = true;
    const child = start(['watch', JOB_ID]);
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    child.kill(signal);
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(130);
    expect(err).toContain('the job continues');
    expect(server.requests.some(({ path }) => path.endsWith('/cancel'))).toBe(false);
  });

  it('pulls files into a folder and refuses to overwrite', async () => {
    expect(await run(['files', 'pull', JOB_ID, '--out', 'got'])).toMatchObject({ code: 0, err: '' });
    expect(await readFile(join(folder, 'got/output/a.json'), 'utf8')).toBe('{"a":1}');
    await writeFile(join(folder, 'got/output/a.json'), 'mine');
    const { code, err } = await run(['files', 'pull', JOB_ID, '--out', 'got']);
    expect(code).toBe(4);
    expect(err).toContain('--force');
    expect(await readFile(join(folder, 'got/output/a.json'), 'utf8')).toBe('mine');
  });

  it('reads instructions from standard input', async () => {
    const child = start(['submit', 'creator', '-f', '-']);
    child.stdin.end('look closely');
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(JSON.parse(server.requests.at(-1)!.body)).toMatchObject({ instructions: 'look closely' });
  });
});

describe('a demo with an unusable document', () => {
  it.each([
    ['that is missing', 'gone.md', 'There is no document gone.md'],
    ['that is empty', 'empty.md', 'is empty'],
    ['that is a folder', 'docs', 'is a folder'],
    ['that is too large', 'large.pdf', 'the limit is 256 MiB'],
  ])('%s fails before anything is started', async (_name, document, reason) => {
    await writeFile(join(folder, 'empty.md'), '');
    await mkdir(join(folder, 'docs'));
    await writeFile(join(folder, 'large.pdf'), '');
    await truncate(join(folder, 'large.pdf'), 300 * 1024 * 1024);
    const { code, err } = await run(['demo', '--document', document]);
    expect(code).toBe(4);
    expect(err).toMatch(/^error: .*\n$/);
    expect(err).toContain(reason);
    expect(await readdir(folder)).not.toContain('.phaseline');
  });

  it('reports an invalid setting before anything is started', async () => {
    await writeFile(join(folder, 'spec.md'), 'x');
    const { code, err } = await run(['demo', '--document', 'spec.md'], { DATABASE_URL: 'mysql://u:secret@x' });
    expect(code).toBe(2);
    expect(err).toContain('DATABASE_URL is not a valid URL');
    expect(err).not.toContain('secret');
  });
});

describe('the rehearsal server', () => {
  it('acts as a model server, and ends with the process that started it', async () => {
    const child = start(['rehearse', '--json'], { PHASELINE_STOP_ON_STDIN_END: '1' });
    const line = await new Promise<string>((resolve) =>
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text)),
    );
    const { baseUrl } = JSON.parse(line) as { baseUrl: string };
    expect((await fetch(`${baseUrl}/models`)).status).toBe(200);
    child.stdin.end();
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  });

  it('says what to do if its port is in use', async () => {
    const { port } = new URL(server.url);
    const { code, err } = await run(['rehearse', '--port', port]);
    expect(code).toBe(4);
    expect(err).toContain(`127.0.0.1:${port}: the port is in use. Choose another one with --port`);
  });
});
