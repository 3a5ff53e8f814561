import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';

const cli = useCommandLine();

describe('the command explain', () => {
  it('prints who wrote each range of lines, and marks those that may be older', async () => {
    const { code, out } = await cli.run(`explain ${JOB_ID} output/a.json`);
    expect(code).toBe(0);
    expect(out).toMatch(/^output\/a\.json 3 lines\n\n *LINES +WRITTEN BY/);
    expect(out).toMatch(/ 1\? +submission +1 +2026-01-01 10:00:00 UTC +documents\/b\.md/);
    expect(out).toMatch(/2-3 +write_file in run_script +2 +1 +40 +2026-01-01 10:00:00 UTC +documents\/a\.md/);
    expect(out).toContain('may be older');
  });

  it('prints all that is known about a line, and nothing that changes the terminal', async () => {
    const { code, out } = await cli.run(`explain ${JOB_ID} ./output/a.json:2`);
    expect(code).toBe(0);
    expect(out).not.toContain('\u001b');
    for (const text of [
      'output/a.json:2',
      'the line ·[31m',
      'write_file in run_script',
      'call_2_1_1',
      'run_script (call_2_1_0)',
      '2: The work (tactical, state execute)',
      '3. Write it',
      `phaseline prompt ${JOB_ID} --phase 2 --step 1`,
      `9 of phase-${JOB_ID}-2, position 40`,
      'documents/a.md, lines 3-4, "must·[2J"',
      'documents/a.md (read_file, step 1)',
      'may be older',
    ])
      expect(out).toContain(text);
  });

  it('prints everything as JSON', async () => {
    const { out } = await cli.run(`explain ${JOB_ID} output/a.json:2 --json`);
    expect(JSON.parse(out)).toMatchObject({
      path: 'output/a.json',
      writes: [{ tool: 'write_file' }],
      text: expect.stringContaining('line'),
    });
  });

  it('takes a number after a colon for the end of a name if there is no other file', async () => {
    (cli.state.files as Record<string, string>)['notes:7'] = 'x';
    expect(JSON.parse((await cli.run(`explain ${JOB_ID} notes:7 --json`)).out)).toMatchObject({ path: 'notes:7' });
    const missing = await cli.run(`explain ${JOB_ID} missing.md:7`);
    expect(missing.code).not.toBe(0);
    expect(missing.err).not.toMatch(/\n\s+at /);
  });

  it('refuses line 0, and shows examples', async () => {
    const zero = await cli.run(`explain ${JOB_ID} output/a.json:0`);
    expect(zero).toMatchObject({ code: 2, err: expect.stringContaining('Lines are counted from 1') });
    expect((await cli.run('explain --help')).out).toContain('output/requirements.json:42');
  });
});
