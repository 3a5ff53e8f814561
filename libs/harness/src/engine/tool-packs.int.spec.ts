import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolSettingsSchema, type ToolSettings } from '@phaseline/contracts';
import { citationsPack } from '@phaseline/inline-packs';
import {
  createCommandsPack,
  createSearchPack,
  DiskFolders,
  createMcpPack,
  type McpPack,
} from '@phaseline/remote-packs';
import { Sandbox } from '@phaseline/sandbox';
import { startLocalServer } from '@phaseline/testing';
import { type ToolPack } from '@phaseline/tools';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createConnectOptions, addMcpTools } from '@phaseline/mcp';
import { Engine, type Policy } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';
import { call, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';

let opened: OpenStore;
const workFolder = mkdtempSync(join(tmpdir(), 'phaseline-work-'));
// The MCP server and its libraries are in the project.
const sandbox = new Sandbox({ mode: 'auto', toolchain: [fileURLToPath(new URL('../../../../', import.meta.url))] });
const commands = createCommandsPack({ folders: new DiskFolders(workFolder), sandbox });
const closeSteps: (() => Promise<void>)[] = [];
beforeAll(async () => {
  opened = await openStore();
});
afterEach(async () => {
  for (const end of closeSteps.splice(0)) await end();
});
afterAll(async () => {
  await rm(workFolder, { recursive: true, force: true });
  await opened.close();
});

const toolsWith = (...domain: string[]) => ({
  workspace: [],
  strategic: ['todo_write', 'todo_complete', 'job_complete'],
  tactical: ['todo_complete'],
  domain,
});

function engine(policy: Policy, packs: readonly ToolPack[], domain: string[], settings?: ToolSettings): Engine {
  return new Engine({ store: opened.store, policy, packs, agent: { tools: toolsWith(...domain), settings } });
}
const readEventData = async (subject: Engine, jobId: string, type: string): Promise<Record<string, unknown>[]> =>
  (await subject.phaseEvents(jobId, 2)).filter((event) => event.type === type).map((event) => event.data);

describe('commands in a job', () => {
  const settings = toolSettingsSchema.parse({
    commands: { allow: ['node'], path: [dirname(process.execPath)], timeoutMs: 60_000 },
  });

  const script = `require('fs').writeFileSync('made.txt', 'made')`;

  it('are offered as configured, run once, and commit their files with their result', async () => {
    let description = '';
    const policy = createThreePhasePolicy((request) => {
      description = request.tools.find(({ name }) => name === 'run_command')?.description ?? '';
      return parsePrompt(request).turn === 0
        ? call('run_command', { program: 'node', args: ['-e', script] })
        : call('todo_complete');
    });
    const subject = engine(policy, [commands], ['run_command'], settings);
    const jobId = await subject.submitAndRun();
    expect(description).toContain('Allowed programs: node.');
    expect((await readEventData(subject, jobId, 'ToolCallRequested'))[0]).toMatchObject({
      effect: 'once',
      timeoutMs: 120_000,
    });
    expect(await readEventData(subject, jobId, 'ToolCallStarted')).toHaveLength(1);
    const events = await subject.phaseEvents(jobId, 2);
    const at = events.findIndex(({ data }) => (data as { path?: string }).path === 'made.txt');
    expect(events[at]).toMatchObject({ type: 'FileWritten', data: { size: 4, callId: 'call_2_1_1' } });
    expect(events[at + 1]).toMatchObject({ type: 'ToolCallCompleted', data: { callId: 'call_2_1_1' } });
    expect((await subject.loadPhase(jobId, 2)).tree['made.txt']).toBeDefined();
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('are refused for an agent without command settings', async () => {
    const policy = createThreePhasePolicy([call('run_command', { program: 'node' })]);
    const subject = engine(policy, [commands], ['run_command']);
    const jobId = await subject.submitAndRun();
    expect((await readEventData(subject, jobId, 'ToolCallFailed'))[0]).toMatchObject({ code: 'commands_off' });
  });
});

describe('sources in a job', () => {
  it('have distinct numbers even if fetched at the same time, and can be cited in the same answer', async () => {
    // Responds after both requests have arrived, so that neither call sees the source of the other.
    const waiting: (() => void)[] = [];
    const local = await startLocalServer((request, response) => {
      waiting.push(() => response.setHeader('content-type', 'text/plain').end(`Words of page ${request.url}.`));
      if (waiting.length === 2) for (const answer of waiting) answer();
    });
    closeSteps.push(() => local.close());
    const policy = createThreePhasePolicy([
      calls(
        ['fetch_url', { url: `${local.url}/a` }],
        ['fetch_url', { url: `${local.url}/b` }],
        ['cite_web', { source: 2, quote: 'Words of page' }],
        ['cite_web', { source: 1, quote: 'Words of no page' }],
      ),
    ]);
    const search = createSearchPack({ allowedNetworks: ['127.0.0.1/32'] });
    const subject = engine(policy, [search, citationsPack], ['fetch_url', 'cite_web']);
    const jobId = await subject.submit();
    const worker = subject.worker();
    const runner = subject.toolRunner();
    await subject.driver.advance(jobId);
    for (let guard = 0; guard < 100 && subject.messages.length > 0; guard += 1) {
      // Delivers all messages concurrently, as a busy tool-runner receives them.
      await Promise.all(subject.messages.splice(0).map((message) => subject.deliver(message, worker, runner)));
      await subject.driver.advance(jobId);
    }
    const ended = await readEventData(subject, jobId, 'ToolCallCompleted');
    const numbers = ended.flatMap(({ content }) => /^Source (\d+):/.exec(String(content))?.[1] ?? []);
    expect(numbers.sort()).toEqual(['1', '2']);
    expect(Object.keys((await subject.loadPhase(jobId, 2)).tree)).toEqual(
      expect.arrayContaining(['sources/1.md', 'sources/2.md', 'sources/index.jsonl']),
    );
    expect(ended.map(({ content }) => String(content)).join('\n')).toContain('"source":2');
    expect((await readEventData(subject, jobId, 'ToolCallFailed'))[0]).toMatchObject({ code: 'quote_not_found' });
  });
});

describe('MCP tools in a job', () => {
  const SECRET = 'sk-engine-0123456789';
  const options = { variables: { ENGINE_TOKEN: SECRET }, sandbox };
  const fixture = fileURLToPath(new URL('../../../mcp/src/servers/sdk-server.fixture.mjs', import.meta.url));

  it('are those of the resolved definition, with effects from the hints of the server, and no secret is recorded', async () => {
    const pack: McpPack = createMcpPack(options);
    closeSteps.push(() => pack.close());
    const spec = {
      command: process.execPath,
      args: [fixture, 'stdio'],
      env: { TOKEN: '${ENGINE_TOKEN}' },
      allow: ['add', 'count', 'env'],
    };
    const settings = await addMcpTools(
      toolSettingsSchema.parse({ mcp: { servers: { spec } } }),
      createConnectOptions(options),
    );
    const offered: Record<string, string[]> = {};
    const policy = createThreePhasePolicy((request) => {
      offered['tactical'] = request.tools.map(({ name }) => name);
      return parsePrompt(request).turn === 0
        ? calls(
            ['mcp__spec__add', { a: 1, b: 2 }],
            ['mcp__spec__count'],
            ['mcp__spec__env'],
            ['mcp__spec__put', { key: 'x' }],
          )
        : call('todo_complete');
    });
    const spying: Policy = (request, signal) => {
      if (parsePrompt(request).kind === 'strategic') offered['strategic'] = request.tools.map(({ name }) => name);
      return policy(request, signal);
    };
    const subject = engine(spying, [pack], [], settings);
    const jobId = await subject.submitAndRun();
    expect(offered['tactical']).toEqual(['todo_complete', 'mcp__spec__add', 'mcp__spec__count', 'mcp__spec__env']);
    expect(offered['strategic']).not.toContain('mcp__spec__add');
    const requested = await readEventData(subject, jobId, 'ToolCallRequested');
    expect(requested.map(({ name, effect }) => [name, effect]).slice(0, 3)).toEqual([
      ['mcp__spec__add', 'pure'],
      ['mcp__spec__count', 'once'],
      ['mcp__spec__env', 'pure'],
    ]);
    const contents = (await readEventData(subject, jobId, 'ToolCallCompleted')).map(({ content }) => String(content));
    expect(contents).toEqual(expect.arrayContaining(['3', '1']));
    // Not on the allow list, so the server is not even called.
    expect((await readEventData(subject, jobId, 'ToolCallDenied'))[0]).toMatchObject({
      name: 'mcp__spec__put',
      code: 'unknown_tool',
    });
    const log = await opened.store.readCorrelation(jobId);
    expect(log.length).toBeGreaterThan(10);
    expect(JSON.stringify(log)).not.toContain(SECRET);
    expect(JSON.stringify(log)).toContain('${ENGINE_TOKEN}');
  });
});
