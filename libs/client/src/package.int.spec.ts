import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { respondWithJson, startScriptedServer } from './testing/scripted-server.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const jobId = '0190a8f2-7b1e-7c3d-9e4f-5a6b7c8d9e0f';

let folder: string;
let project: string;

/** Packs the client and installs it into an empty folder without a registry, with nothing but zod beside it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packed-client-'));
  project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{"private":true}\n');
  await run(process.execPath, [fileURLToPath(new URL('../../../scripts/pack-client.mjs', import.meta.url)), folder]);
  const zod = dirname(require.resolve('zod/package.json'));
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, zod]);
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  await run('npm', [...install, ...tarballs.map((name) => join(folder, name))], { cwd: project });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function runScript(file: string, code: string, ...flags: string[]): Promise<unknown> {
  await using server = await startScriptedServer(respondWithJson(202, { jobId, status: 'submitted', created: true }));
  await writeFile(join(project, file), code);
  const { stdout } = await run(process.execPath, [...flags, file, server.baseUrl], { cwd: project });
  return JSON.parse(stdout);
}

describe('the packed client', () => {
  it('depends on zod only', async () => {
    expect((await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
      '@phaseline',
      'zod',
    ]);
    const installed = join(project, 'node_modules/@phaseline/client');
    expect(await readdir(join(project, 'node_modules/@phaseline'))).toEqual(['client']);
    expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'index.js', 'package.json', 'types']);
    expect(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { zod: expect.any(String) as string },
    });
  });

  it('works as an ES module', async () => {
    const code = `
      import { PhaselineClient, isEnded, submitRequestSchema } from '@phaseline/client';
      const { created } = await new PhaselineClient({ baseUrl: process.argv[2] }).submit({ agent: 'creator' });
      const { success } = submitRequestSchema.safeParse({ agent: 'creator', budget: {} });
      console.log(JSON.stringify({ created, ended: isEnded('failed'), success }));
    `;
    expect(await runScript('module.mjs', code)).toEqual({ created: true, ended: true, success: false });
  });

  it('works with the globals of a browser only', async () => {
    const code = `
      import { readFile } from 'node:fs/promises';
      import { createContext, SourceTextModule } from 'node:vm';
      const { fetch, AbortController, AbortSignal, Blob, FormData, Headers, TextDecoder, URL, URLSearchParams } = globalThis;
      const web = { fetch, AbortController, AbortSignal, Blob, FormData, Headers, TextDecoder, URL, URLSearchParams };
      const context = createContext({ ...web, crypto, setTimeout, clearTimeout });
      const modules = new Map();
      async function load(name, from) {
        const identifier = name.startsWith('.') ? new URL(name, from.identifier).href : import.meta.resolve(name);
        if (!modules.has(identifier))
          modules.set(identifier, readFile(new URL(identifier), 'utf8').then((text) => new SourceTextModule(text, { context, identifier })));
        return modules.get(identifier);
      }
      const client = await load('@phaseline/client');
      await client.link(load);
      await client.evaluate();
      const { PhaselineClient } = client.namespace;
      const { created } = await new PhaselineClient({ baseUrl: process.argv[2] }).submit({ agent: 'creator' });
      console.log(JSON.stringify({ created }));
    `;
    expect(await runScript('browser.mjs', code, '--experimental-vm-modules')).toEqual({ created: true });
  });

  it('works with require', async () => {
    const code = `
      const { PhaselineClient, SUBMIT_LIMITS } = require('@phaseline/client');
      new PhaselineClient({ baseUrl: process.argv[2] })
        .submit({ agent: 'creator' })
        .then(({ jobId }) => console.log(JSON.stringify({ jobId, labels: SUBMIT_LIMITS.labels })));
    `;
    expect(await runScript('common.cjs', code)).toEqual({ jobId, labels: 32 });
  });

  it.each([
    ['nodenext', ['module.mts', 'common.cts']],
    ['bundler', ['submit.ts']],
  ])('has declarations that TypeScript checks with the resolution %s', async (resolution, files) => {
    const code = `
      import { PhaselineClient, type JobStatus, type SubmitRequest, type SubmitResponse } from '@phaseline/client';
      const request: SubmitRequest = { agent: 'creator', budgets: { maxCostUsd: 2 } };
      // @ts-expect-error A misspelt budget does not compile.
      export const misspelt: SubmitRequest = { agent: 'creator', budgets: { maxCost: 2 } };
      export async function submit(): Promise<JobStatus> {
        const response: SubmitResponse = await new PhaselineClient({ baseUrl: 'http://localhost' }).submit(request);
        // @ts-expect-error The members are typed, so none is \`any\`.
        response.jobid;
        return response.status;
      }
    `;
    for (const file of files) await writeFile(join(project, file), code);
    const options = ['--module', resolution === 'bundler' ? 'esnext' : resolution, '--moduleResolution', resolution];
    const strict = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable'];
    const tsc = require.resolve('typescript/bin/tsc');
    await run(process.execPath, [tsc, ...options, ...strict, '--skipLibCheck', 'false', ...files], {
      cwd: project,
    }).catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
  });
});
