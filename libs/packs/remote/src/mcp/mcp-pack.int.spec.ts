import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { toolSettingsSchema, type ToolSettings } from '@phaseline/contracts';
import { type PhaseState } from '@phaseline/domain';
import { Sandbox } from '@phaseline/sandbox';
import { ToolRegistry } from '@phaseline/tools';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RemoteToolBench } from '../remote-tool-bench.fixture.js';

import { createConnectOptions, addMcpTools, type McpOptions } from '@phaseline/mcp';
import { createMcpPack, type McpPack } from './mcp-pack.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../mcp/src/servers/${name}.fixture.mjs`, import.meta.url));
const SECRET = 'sk-spec-0123456789';
// The servers and their libraries are in the project.
const sandbox = new Sandbox({ mode: 'auto', toolchain: [fileURLToPath(new URL('../../../../../', import.meta.url))] });
const LOCAL: McpOptions = { allowedNetworks: ['127.0.0.1/32'], variables: { SPEC_TOKEN: SECRET }, sandbox };
const stdio = (server = 'sdk-server', more: object = {}) => ({
  command: process.execPath,
  args: [fixture(server), 'stdio'],
  ...more,
});

const packs: McpPack[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(packs.splice(0).map((pack) => pack.close()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function settingsOf(servers: object, options = LOCAL): Promise<ToolSettings> {
  return addMcpTools(toolSettingsSchema.parse({ mcp: { servers } }), createConnectOptions(options));
}

async function bench(servers: object, options = LOCAL): Promise<RemoteToolBench> {
  const pack = createMcpPack(options);
  packs.push(pack);
  return new RemoteToolBench(pack, await settingsOf(servers, options));
}

async function httpServer(token?: string, at?: string): Promise<{ url: string; child: ChildProcess }> {
  const env = { PATH: process.env['PATH'], ...(token === undefined ? {} : { TOKEN: token }) };
  const child = spawn(process.execPath, [fixture('sdk-server'), 'http', ...(at === undefined ? [] : [at])], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${port.toString().trim()}/mcp`, child };
}

describe('tools of an MCP server', () => {
  it('are listed with names, schemas and effects, identically each time', async () => {
    const settings = await settingsOf({ spec: stdio() });
    const tools = settings.mcp!.servers['spec']!.tools!;
    const effects = Object.fromEntries(tools.map(({ offeredName, effect }) => [offeredName, effect]));
    expect(effects).toMatchObject({ mcp__spec__add: 'pure', mcp__spec__put: 'idempotent', mcp__spec__count: 'once' });
    expect(tools[0]).toMatchObject({
      name: 'add',
      description: 'Adds.',
      parameters: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'number' } } },
    });
    expect(await settingsOf({ spec: stdio() })).toEqual(settings);
    expect(createMcpPack().dynamic!.list(settings)[0]).toMatchObject({
      lane: 'remote',
      effect: 'pure',
      traits: [],
      timeoutMs: 125_000,
    });
  });

  it('have legal names and schemas, even if the server sends others', async () => {
    const one = await bench({ odd: stdio('odd-server') });
    const tools = (await settingsOf({ odd: stdio('odd-server') })).mcp!.servers['odd']!.tools!;
    for (const { offeredName, parameters } of tools) {
      expect(offeredName).toMatch(/^mcp__odd__[A-Za-z0-9_-]{1,54}$/);
      expect(parameters).toMatchObject({ type: 'object', properties: {} });
      expect(Object.keys(parameters)).not.toContain('anyOf');
    }
    expect(new Set(tools.map(({ offeredName }) => offeredName)).size).toBe(7);
    expect(tools.find(({ name }) => name === 'either')!.parameters).toMatchObject({ properties: { a: {}, b: {} } });
    expect(tools.find(({ name }) => name === 'ref')!.parameters).toMatchObject({
      required: ['x'],
      properties: { x: { $ref: '#/$defs/x' } },
      $defs: { x: { type: 'integer' } },
    });
    const odd = tools.find(({ name }) => name === 'größe/ä.b')!;
    expect(await one.call(odd.offeredName, { any: 1 })).toBe('größe/ä.b {"any":1}');
    expect(await one.call(tools.find(({ name }) => name === 'true')!.offeredName)).toMatch(/hologram[\s\S]*null/);
  });

  it('are limited to those that the settings allow, all of which must exist', async () => {
    const settings = await settingsOf({ spec: stdio('sdk-server', { allow: ['add'] }) });
    expect(settings.mcp!.servers['spec']!.tools!.map(({ name }) => name)).toEqual(['add']);
    await expect(settingsOf({ spec: stdio('sdk-server', { allow: ['subtract'] }) })).rejects.toThrow(
      /MCP server spec .* no tool named subtract/,
    );
  });

  it('cannot be listed if the server is unavailable; the message names it and the reason, without secrets', async () => {
    await expect(settingsOf({ gone: { command: '/no/such/program' } })).rejects.toThrow(
      /MCP server gone .*not installed/,
    );
    const script = `console.error('bad token ' + process.env.TOKEN); process.exit(1)`;
    const dying = { command: process.execPath, args: ['-e', script], env: { TOKEN: '${SPEC_TOKEN}' } };
    const message = await settingsOf({ dying }).catch((error: Error) => error.message);
    expect(message).toMatch(/MCP server dying/);
    expect(message).not.toContain(SECRET);
    await expect(settingsOf({ x: stdio('sdk-server', { env: { T: '${DATABASE_URL}' } }) })).rejects.toThrow(
      /is reserved for the service/,
    );
  });
});

describe('calls over standard streams', () => {
  it('return texts, and structured content that no text contains', async () => {
    const one = await bench({ spec: stdio() });
    expect(await one.call('mcp__spec__add', { a: 2, b: 40 })).toBe('42');
    expect(await one.call('mcp__spec__data')).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  it('save images and blobs as workspace files, and return long texts in full', async () => {
    const one = await bench({ spec: stdio() });
    const text = await one.call('mcp__spec__picture');
    expect(text).toMatch(/A pixel:\n\[image\/png, 70 bytes, saved as work\/mcp\/spec\/call_1-1\.png\]/);
    expect(text).toContain('saved as work/mcp/spec/call_1-2.pdf');
    expect(text).toContain('[link: more https://example.org/more]');
    expect((await one.workspace.read('work/mcp/spec/call_1-1.png'))!.subarray(1, 4)).toEqual(Buffer.from('PNG'));
    expect(await one.call('mcp__spec__long')).toHaveLength(49_999);
  });

  it('give the server only the variables in the settings, and never reveal its secrets', async () => {
    process.env['MCP_SPEC_LEAK'] = 'leak';
    try {
      const one = await bench({ spec: stdio('sdk-server', { env: { TOKEN: '${SPEC_TOKEN}' } }) });
      const seen = await one.call('mcp__spec__env');
      expect(seen).toContain('token=[SPEC_TOKEN]');
      expect(
        seen
          .split(' ')[0]!
          .split(',')
          .filter((name) => !/^(?:HOME|LANG|OLDPWD|PATH|PWD|SHLVL|TERM|TMPDIR|TZ|TOKEN|_)$/.test(name)),
      ).toEqual([]);
      expect(await one.runForError('mcp__spec__fail')).toBe('mcp_tool_failed: no luck with [SPEC_TOKEN]');
    } finally {
      delete process.env['MCP_SPEC_LEAK'];
    }
    const settings = await settingsOf({ spec: stdio('sdk-server', { env: { TOKEN: '${SPEC_TOKEN}' } }) });
    expect(JSON.stringify(settings)).not.toContain(SECRET);
  });

  it('use one process per job', async () => {
    const one = await bench({ spec: stdio() });
    expect([await one.call('mcp__spec__count'), await one.call('mcp__spec__count')]).toEqual(['1', '2']);
    one.jobId = 'another';
    expect(await one.call('mcp__spec__count')).toBe('1');
  });

  it('fail with the last output when a server crashes, and the next call restarts it', async () => {
    const one = await bench({ spec: stdio('sdk-server', { env: { TOKEN: '${SPEC_TOKEN}' } }) });
    expect(await one.call('mcp__spec__count')).toBe('1');
    expect(await one.runForError('mcp__spec__crash')).toMatch(
      /^mcp_connection_lost: The MCP server spec .*out of luck with \[SPEC_TOKEN\]/,
    );
    await expect(one.run('mcp__spec__crash', {})).rejects.toMatchObject({ retryable: true });
    expect(await one.call('mcp__spec__count')).toBe('1');
  });

  it('restart a server that exited between two calls', async () => {
    const one = await bench({ spec: stdio() });
    await one.call('mcp__spec__leave');
    // Its number is one of its own namespace, so its end shows in the calls.
    // A call may still reach the old server, which then does not count up to two.
    await expect
      .poll(() => one.call('mcp__spec__count').catch((error: unknown) => String(error)), { timeout: 20_000 })
      .toBe('2');
  });

  it('fail with the last output when a server crashes, and the next call restarts it', async () => {
    const one = await bench({ spec: stdio('sdk-server', { env: { TOKEN: '${SPEC_TOKEN}' } }) });
    expect(await one.call('mcp__spec__count')).toBe('1');
    expect(await one.runForError('mcp__spec__crash')).toMatch(
      /^mcp_connection_lost: The MCP server spec .*out of luck with \[SPEC_TOKEN\]/,
    );
    await expect(one.run('mcp__spec__crash', {})).rejects.toMatchObject({ retryable: true });
    expect(await one.call('mcp__spec__count')).toBe('1');
  });

  it('restart a server that exited between two calls', async () => {
    const one = await bench({ spec: stdio() });
    await one.call('mcp__spec__leave');
    // Its number is one of its own namespace, so its end shows in the calls.
    await expect.poll(() => one.runForError('mcp__spec__count'), { timeout: 20_000 }).toBe('no failure');
    expect(await one.call('mcp__spec__count')).toBe('2');
  });

  it('end on timeout and on cancellation, and the server stays usable', async () => {
    const one = await bench({ spec: stdio('sdk-server', { timeoutMs: 3_000 }) });
    expect(await one.runForError('mcp__spec__slow')).toMatch(/^timeout: /);
    const abort = new AbortController();
    one.signal = abort.signal;
    const call = one.run('mcp__spec__slow', {});
    call.catch(() => undefined);
    abort.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
    one.signal = new AbortController().signal;
    expect(await one.call('mcp__spec__count')).toBe('1');
  });

  it('are refused if the settings do not list the tool', async () => {
    const one = await bench({ spec: stdio('sdk-server', { allow: ['add'] }) });
    expect(await one.runForError('mcp__spec__count')).toMatch(/^unknown_tool: /);
    expect(createMcpPack().dynamic!.get('read_file')).toBeUndefined();
  });
});

describe('calls over HTTP', () => {
  it('use the token that the settings refer to', async () => {
    const { url } = await httpServer(SECRET);
    const spec = { url, headers: { authorization: 'Bearer ${SPEC_TOKEN}' } };
    const one = await bench({ spec });
    expect(await one.call('mcp__spec__add', { a: 1, b: 1 })).toBe('2');
    expect([await one.call('mcp__spec__count'), await one.call('mcp__spec__count')]).toEqual(['1', '2']);
    const wrong = { ...LOCAL, variables: { SPEC_TOKEN: 'another-token' } };
    await expect(settingsOf({ spec }, wrong)).rejects.toThrow(/MCP server spec .*401|MCP server spec .*nauthorized/);
  });

  it('are refused for non-public addresses, unless the operator allows them', async () => {
    const { url } = await httpServer();
    await expect(settingsOf({ spec: { url } }, {})).rejects.toThrow(/not on the public internet/);
    const settings = await settingsOf({ spec: { url } });
    const strict = createMcpPack({});
    packs.push(strict);
    expect(await new RemoteToolBench(strict, settings).runForError('mcp__spec__add', { a: 1, b: 1 })).toMatch(
      /^private_address: The MCP server spec: .*not on the public internet/,
    );
  });

  it('fail while the server is down, and work again when it is back', async () => {
    const { url, child } = await httpServer();
    const one = await bench({ spec: { url } });
    expect(await one.call('mcp__spec__count')).toBe('1');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect(one.run('mcp__spec__count', {})).rejects.toMatchObject({ retryable: true });
    await httpServer(undefined, new URL(url).port);
    expect(await one.call('mcp__spec__count')).toBe('1');
  });

  it('recover when the server was restarted between two calls and lost the session', async () => {
    const { url, child } = await httpServer();
    const one = await bench({ spec: { url } });
    await one.call('mcp__spec__count');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await httpServer(undefined, new URL(url).port);
    await expect(one.run('mcp__spec__add', { a: 1, b: 1 })).rejects.toMatchObject({ retryable: true });
    expect(await one.call('mcp__spec__add', { a: 1, b: 1 })).toMatch(/^2/);
  });
});

describe('misbehaving server', () => {
  const hard = (args: readonly string[] = [], more: object = {}) => ({
    command: process.execPath,
    args: [fixture('hard-server'), ...args],
    ...more,
  });

  it.each([
    ['wrap_text', '[1,2]'],
    ['wrap_list', '{"a":1}\n{"a":2}'],
    ['wrap_bare', 'hello'],
  ])('does not repeat structured content that its texts contain: %s', async (tool, said) => {
    const one = await bench({ hard: hard() });
    expect(await one.call(`mcp__hard__${tool}`)).toBe(said);
  });

  it('can send a line of several megabytes, whose pieces are joined only once', async () => {
    const one = await bench({ hard: hard() });
    await one.call('mcp__hard__tool_0', {});
    const concat = Buffer.concat.bind(Buffer);
    let copied = 0;
    const spy = vi.spyOn(Buffer, 'concat').mockImplementation((list, total) => {
      copied += list.reduce((sum, piece) => sum + piece.byteLength, 0);
      return concat(list, total);
    });
    const count = 8_000_000;
    const { content } = await one.run('mcp__hard__tool_1', { count });
    spy.mockRestore();
    expect(content).toHaveLength(count);
    expect(copied).toBeLessThan(2 * count);
  });

  it('is disconnected after a line above the limit, and restarted by the next call', async () => {
    const one = await bench({ hard: hard() });
    expect(await one.runForError('mcp__hard__tool_1', { count: 33 * 1024 * 1024 })).toMatch(/^mcp_connection_lost: /);
    expect(await one.call('mcp__hard__tool_0', {})).toBe('tool_0 {}');
  });

  it('is restarted by the next call if it hangs, but not if it is only slow', async () => {
    const one = await bench({ hard: hard([], { timeoutMs: 1_000 }) });
    expect(await one.runForError('mcp__hard__hang')).toMatch(/^timeout: /);
    expect(await one.call('mcp__hard__tool_0', { count: 1 })).toBe('tool_0 {"count":1}');
    expect(await one.runForError('mcp__hard__never')).toMatch(/^timeout: /);
    expect(await one.call('mcp__hard__tool_1', {})).toBe('tool_1 {}');
  });

  it.each(['hang', 'die', 'never', 'nonsense'])(
    'leaves the outcome of an unanswered call unknown: %s',
    async (tool) => {
      const one = await bench({ hard: hard([], { timeoutMs: 1_000 }) });
      await expect(one.run(`mcp__hard__${tool}`, {})).rejects.toMatchObject({ outcomeUnknown: true });
    },
  );

  it('leaves no unknown outcome if it cannot be started', async () => {
    const settings = await settingsOf({ hard: hard() });
    const gone = structuredClone(settings) as { mcp: { servers: Record<string, { command: string }> } };
    gone.mcp.servers['hard']!.command = '/no/such/program';
    const pack = createMcpPack(LOCAL);
    packs.push(pack);
    const one = new RemoteToolBench(pack, gone as unknown as ToolSettings);
    await expect(one.run('mcp__hard__die', {})).rejects.toMatchObject({ outcomeUnknown: false });
  });

  it('offers the first tools if it has too many, and names the others', async () => {
    const { tools, omittedTools } = (await settingsOf({ hard: hard(['500']) })).mcp!.servers['hard']!;
    expect(tools).toHaveLength(128);
    expect(omittedTools).toHaveLength(507 - 128);
    expect(omittedTools!.at(-1)).toBe('tool_499');
    const onDemand = (await settingsOf({ hard: hard(['500'], { onDemand: true }) })).mcp!.servers['hard']!;
    expect(onDemand.tools).toHaveLength(507);
    expect(onDemand.omittedTools).toBeUndefined();
  });

  it('receives corrected arguments if they are almost right', async () => {
    const settings = await settingsOf({ hard: hard() });
    const tools = new ToolRegistry([createMcpPack(LOCAL)]).forPhase({
      start: { terms: { settings } },
    } as unknown as PhaseState);
    expect(tools.parseArguments('mcp__hard__tool_0', { count: '4', more: true })).toEqual({
      arguments: { count: 4, more: true },
      ignoredArguments: [],
    });
  });
});
