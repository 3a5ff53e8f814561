import { expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';

const cli = useCommandLine();

it('the commands of the inbox approve and answer what the server shows, bound to its hash', async () => {
  const item = {
    ...{ jobId: JOB_ID, tenant: 'acme', agent: 'writer', phase: 2, position: 7 },
    ...{ askedAt: '2030-01-01T00:00:00Z', deadlineAt: '2030-01-02T00:00:00Z' },
  };
  const hash = 'a'.repeat(64);
  const approval = { tool: 'send', arguments: { to: 'ann' }, argumentsHash: hash };
  const question = { text: 'Which colour?', questionHash: hash, schema: { type: 'integer' } };
  cli.state.inbox = [
    { ...item, kind: 'approval', callId: 'call_2_1_1', approval },
    { ...item, kind: 'question', callId: 'call_2_1_2', question },
  ];
  expect((await cli.run(`inbox ${JOB_ID}`)).out).toMatch(/approval call_2_1_1[^]*question call_2_1_2[^]*Which colour/);
  expect(JSON.parse((await cli.run('inbox --json')).out).items).toHaveLength(2);
  await cli.run('inbox --kind question --tenant acme');
  expect(cli.server.requests.at(-1)!.query).toMatchObject({ kind: 'question', tenant: 'acme' });
  await cli.run('inbox --kind blocked-job');
  expect(cli.server.requests.at(-1)!.query).toMatchObject({ kind: 'blocked-job' });
  expect((await cli.run('inbox --kind todo')).code).toBe(2);
  expect((await cli.run(`approve ${JOB_ID} call_2_1_1`)).code).toBe(0);
  expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ callId: 'call_2_1_1', argumentsHash: hash });
  expect((await cli.run(`answer ${JOB_ID} call_2_1_2 7`)).code).toBe(0);
  expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ questionHash: hash, answer: 7 });
  // Only the server knows why a call does not wait.
  const noVersion = '0'.repeat(64);
  await cli.run(`approve ${JOB_ID} call_9`);
  expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ callId: 'call_9', argumentsHash: noVersion });
  await cli.run(`answer ${JOB_ID} call_9 red`);
  expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ callId: 'call_9', questionHash: noVersion });
  expect((await cli.run(`approve ${JOB_ID} call_2_1_1 --amend no-such-file.json`)).code).toBe(2);
  cli.state.inbox = [];
  expect((await cli.run('inbox')).err).toContain('Nothing waits for a person.');
});
