import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const repositoryRoot = join(import.meta.dirname, '../../../..');
const KEY = `service-${'x'.repeat(40)}`;
const pages = join(repositoryRoot, 'apps/dashboard/dist/pages');
let orchestrator: OrchestratorForSpecs;
let script: string;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/build-pages.mjs'], { cwd: repositoryRoot });
  orchestrator = await startOrchestrator({ PHASELINE_API_KEYS: `service=${KEY}` });
  script = (await readdir(join(pages, 'assets'))).find((name) => /^index-.*\.js$/.test(name))!;
});
afterAll(() => orchestrator?.stop());

describe('a page', () => {
  it.each(['/', '/jobs', '/jobs/0198c0de-0000-7000-8000-000000000000', '/settings/keys'])(
    'at %s needs no session, has no inline code, and may not be stored',
    async (path) => {
      const response = await fetch(`${orchestrator.url}${path}`, { headers: { accept: 'text/html' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      const policy = response.headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'; script-src 'self'");
      expect(policy).not.toContain('unsafe');
      const page = await response.text();
      expect(page).toBe(await readFile(join(pages, 'index.html'), 'utf8'));
      expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bon\w+=|https?:/);
    },
  );

  it.each(['/v1/jobs', '/v1/nothing', '/docs', '/elsewhere', '/jobs/a/b/c', '/assetsx', '/loginx'])(
    'is not at %s, which needs a key',
    async (path) => {
      expect((await fetch(`${orchestrator.url}${path}`, { headers: { accept: 'text/html' } })).status).toBe(401);
    },
  );
});

describe('a file of the pages', () => {
  it.each([
    ['br', '.br'],
    ['gzip', '.gz'],
    ['identity', ''],
  ])('is sent as %s to a browser that accepts it', async (encoding, ending) => {
    const response = await orchestrator.fetch(`/assets/${script}`, { headers: { 'accept-encoding': encoding } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding);
    expect(response.headers.get('content-type')).toBe('application/javascript; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const { size } = await stat(join(pages, 'assets', script + ending));
    expect(Number(response.headers.get('content-length'))).toBe(size);
  });

  it.each(['missing.js', 'index.html', '..%2findex.html', '%2e%2e%2findex.html', `${'index'}.js.br`, 'a.js%00.css'])(
    'is not found at %s, also when a browser asks for a page',
    async (name) => {
      const response = await fetch(`${orchestrator.url}/assets/${name}`, { headers: { accept: 'text/html' } });
      expect([400, 404]).toContain(response.status);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
    },
  );
});
