import { expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';

const cli = useCommandLine();

it('the command prompt prints the request of a model call with the result of the comparison, and fails when it is not exact', async () => {
  const exact = await cli.run(`prompt ${JOB_ID} --phase 1 --step 2`);
  expect(exact.code).toBe(0);
  expect(exact.out).toContain('exact: the hash equals the recorded one');
  expect(exact.out).toContain('layers: system 800, conversation 60, tools 40 tokens\n');
  expect(exact.out).toContain('── system (system, 800 tokens)\nYou are the writer.');
  expect(exact.out).toContain('── tool: result of call_1_1_1 (conversation, 60 tokens)\n');
  expect(exact.out).toContain('── tool read_file (40 tokens)\n');
  expect(exact.out).not.toContain('\u001b');
  expect((await cli.run(`prompt ${JOB_ID} --phase 1 --step 2 --messages`)).out).not.toContain('tool read_file');
  const other = await cli.run(`prompt ${JOB_ID} --phase 1 --step 3`);
  expect({ code: other.code, out: other.out }).toEqual({ code: 1, out: expect.stringContaining('not exact') });
  const json = await cli.run(`prompt ${JOB_ID} --phase 1 --step 2 --json`);
  expect(JSON.parse(json.out)).toMatchObject({ isExact: true, request: { tools: [{ name: 'read_file' }] } });
  expect((await cli.run(`prompt ${JOB_ID} --phase 1`)).out).toMatch(/STEP.*\n +2 +1 +work +default/);
  expect((await cli.run(`prompt ${JOB_ID} --phase x`)).code).toBe(2);
});
