import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';

const cli = useCommandLine();

describe('the command claims', () => {
  it('lists claims with what proves them, and what a refused one lacks', async () => {
    const { code, out } = await cli.run(`claims ${JOB_ID}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^CLAIM +PHASE +OUTCOME +POSITION +CHECKS +PROVED BY\n/);
    expect(out).toMatch(/todo 1 +2 +refused +40 +1 failed/);
    expect(out).toContain('✗ expected a file output/a.md; found: it does not exist ·[2J');
    expect(out).toMatch(/todo 1 +2 +accepted +50 +1 +verifier unit, output\/a\.md, 1 event/);
    expect(out).toMatch(/job completed +accepted +60 +0/);
    expect(out).not.toContain('\u001b');
  });

  it('prints every page as one document with --json', async () => {
    const { out } = await cli.run(`claims ${JOB_ID} --json`);
    const { jobId, items } = JSON.parse(out) as { jobId: string; items: readonly { readonly outcome: string }[] };
    expect(jobId).toBe(JOB_ID);
    expect(items.map(({ outcome }) => outcome)).toEqual(['refused', 'accepted', 'accepted']);
  });
});
