import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';
import { FakeStream } from '../testing/fake-streams.js';

const cli = useCommandLine();

describe('the files of a job', () => {
  it('are listed', async () => {
    expect((await cli.run(`files list ${JOB_ID}`)).out).toContain('7 B  output/a.json');
  });

  it('are printed byte for byte on a pipe, and without control characters on a terminal', async () => {
    expect((await cli.run(`files cat ${JOB_ID} evil.txt`)).out).toBe('x\u001b[2Jy\n');
    const stdout = new FakeStream(80);
    await cli.run(`files cat ${JOB_ID} evil.txt`, { stdout });
    expect(stdout.text).toBe('x·[2Jy\n');
  });

  it('are written from a local file with the condition and the reason, and deleted', async () => {
    const put = await cli.run(
      `files put ${JOB_ID} notes/a.md --from ${import.meta.filename} --new --executable --reason typo`,
    );
    expect(put.out).toMatch(/^notes\/a\.md written \(\d+ bytes\)\.\n$/);
    expect(cli.server.requests.at(-1)).toMatchObject({
      method: 'PUT',
      path: `/v1/jobs/${JOB_ID}/files/notes/a.md`,
      query: { reason: 'typo', mode: 'executable' },
      headers: { 'if-none-match': '*', 'content-type': 'application/octet-stream' },
      body: expect.stringContaining('the files of a job'),
    });
    expect((await cli.run(`files put ${JOB_ID} a.md --from no-such-file`)).code).toBe(4);
    const hash = 'a'.repeat(64);
    expect((await cli.run(`files delete ${JOB_ID} evil.txt --if-match ${hash}`)).out).toBe('evil.txt deleted.\n');
    expect(cli.server.requests.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'if-match': `"${hash}"` } });
    expect((await cli.run(`files delete ${JOB_ID} nope`)).code).toBe(3);
  });

  it('that do not exist lead to exit code 3', async () => {
    expect((await cli.run(`files cat ${JOB_ID} nope`)).code).toBe(3);
    expect((await cli.run(`files cat ${JOB_ID} ./evil.txt`)).out).toBe('x\u001b[2Jy\n');
    expect((await cli.run(`files pull ${JOB_ID} nope`)).code).toBe(3);
  });
});
