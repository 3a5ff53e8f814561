import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HandOverResult } from '../../apps/cli/src/demo/hand-over-result.js';

const program = fileURLToPath(new URL('../../apps/cli/bin/phaseline.js', import.meta.url));
const document = fileURLToPath(new URL('./short-document.md', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hand-over-'));
  // The user that runs PostgreSQL must be able to reach its data.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function phaseline(args: readonly string[], killWhen?: (out: string) => boolean): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    out += piece;
    if (killWhen?.(out)) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (err += piece));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

const DEMO = ['demo', '--json', '--agents', 'creator,validator', '--document', document];

async function graph(tenant: string, query: string): Promise<Record<string, unknown>[]> {
  const { code, out, err } = await phaseline([
    'graph',
    'query',
    query,
    '--tenant',
    tenant,
    '--limit',
    '1000',
    '--json',
  ]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return (JSON.parse(out) as { rows: Record<string, unknown>[] }).rows;
}

describe('the demo with the Creator and the Validator', () => {
  it(
    'hands over every requirement, and stores the valid ones in a graph that can be queried',
    { timeout: 240_000 },
    async () => {
      // A run that is killed in the middle of the validation must not affect the next one. Five phases belong to the
      // Creator; the seventh is the first in which requirements are claimed.
      const killed = await phaseline(DEMO, (out) => out.split('"type":"PhaseStarted"').length > 7);
      expect(killed.code).toBeNull();

      const { code, out, err } = await phaseline(DEMO);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const result = JSON.parse(out.trim().split('\n').at(-1)!) as HandOverResult & { kind: string };
      expect(result.kind).toBe('result');
      const [creator, validator] = result.jobs;
      const found = creator!.requirements!.count;
      expect(found).toBeGreaterThan(5);
      expect([creator!.job.status, validator!.job.status, validator!.audit.passed]).toEqual([
        'completed',
        'completed',
        true,
      ]);

      // Every requirement was claimed once and has an outcome.
      const { claims, tenant } = result;
      expect(claims!.claims).toBe(found);
      expect(claims!.integrated + claims!.duplicates + claims!.rejected).toBe(found);
      const file = validator!.files.find(({ path }) => path === 'output/validation.json')!;
      const { requirements } = JSON.parse(await readFile(file.localPath, 'utf8')) as {
        requirements: { id: string; text: string; outcome: string; resolution: string; rid: string }[];
      };
      expect(new Set(requirements.map(({ id }) => id)).size).toBe(found);
      expect(requirements.every(({ outcome, resolution }) => outcome === 'done' && resolution !== undefined)).toBe(
        true,
      );

      // The graph contains exactly the requirements that the report calls integrated, word for word.
      const nodes = await graph(
        tenant,
        'MATCH (r:Requirement) RETURN r.rid AS rid, r.text AS text, r.createdBy AS job',
      );
      const ownNodes = nodes.filter(({ job }) => job === validator!.job.jobId);
      const integrated = requirements.filter(({ resolution }) => resolution === 'integrated');
      expect(ownNodes.map(({ rid, text }) => `${String(rid)} ${String(text)}`).sort()).toEqual(
        integrated.map(({ rid, text }) => `${rid} ${text}`).sort(),
      );
      expect(result.graph.requirements).toBe(nodes.length);
      const { fulfilled, notFulfilled, undecided } = result.graph;
      expect(fulfilled + notFulfilled + undecided).toBe(nodes.length);

      // Each run has its own graph.
      expect(await graph('default', 'MATCH (n) RETURN count(n) AS count')).toEqual([{ count: 0 }]);
      const written = await phaseline(['graph', 'query', 'MATCH (r:Requirement) DETACH DELETE r', '--tenant', tenant]);
      expect([written.code, written.err]).toEqual([4, expect.stringContaining('read-only')]);
    },
  );
});
