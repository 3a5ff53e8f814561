import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentDefinitionSchema, type AgentDefinition } from '@phaseline/domain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toApiProblem } from '../problem/to-api-problem.js';
import { ToolListing } from './tool-listing.js';

const fixture = fileURLToPath(new URL('../../../../libs/mcp/src/servers/odd-server.fixture.mjs', import.meta.url));

// The servers of this spec are in folders that a contained command does not see.
const sandbox = { mode: 'none' } as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tool-listing-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Creates an agent with an MCP server that records each of its starts in a file. */
async function agentWith(
  name: string,
  commands?: object,
): Promise<{ agent: AgentDefinition; starts: () => Promise<number> }> {
  const notes = join(folder, name);
  const program = join(folder, `${name}.mjs`);
  await writeFile(
    program,
    `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(notes)}, 'x'); await import(${JSON.stringify(fixture)});`,
  );
  const settings = {
    mcp: { servers: { odd: { command: process.execPath, args: [program] } } },
    ...(commands ? { commands } : {}),
  };
  const agent = agentDefinitionSchema.parse({ name: 'a', displayName: 'A', tools: {}, settings });
  return { agent, starts: async () => (await readFile(notes, 'utf8').catch(() => '')).length };
}

describe('the tools of MCP servers in a definition', () => {
  it('are added, and requested once for some time, separately for different settings', async () => {
    const listing = new ToolListing([], { sandbox });
    const { agent, starts } = await agentWith('one');
    const listed = await listing.withListedTools(agent, 'default');
    expect(listed.settings!.mcp!.servers['odd']!.tools).toHaveLength(7);
    expect(agent.settings!.mcp!.servers['odd']!.tools).toBeUndefined();
    expect(await listing.withListedTools(agent, 'default')).toEqual(listed);
    expect(await starts()).toBe(1);
    const other = (await agentWith('one', { shell: true })).agent;
    expect((await listing.withListedTools(other, 'default')).settings!.commands).toMatchObject({ shell: true });
    expect((await listing.withListedTools(agent, 'default')).settings!.commands).toBeUndefined();
  });

  it('are not requested when an agent names no server', async () => {
    const agent = agentDefinitionSchema.parse({ name: 'a', displayName: 'A', tools: {} });
    expect(await new ToolListing([], { sandbox }).withListedTools(agent, 'default')).toBe(agent);
  });

  it('make the job a retryable refusal when a server does not answer, and are requested again next time', async () => {
    const listing = new ToolListing([], { sandbox });
    const { agent } = await agentWith('gone');
    const program = join(folder, 'gone.mjs');
    const good = await readFile(program, 'utf8');
    await writeFile(program, 'process.exit(1)');
    const error = await listing.withListedTools(agent, 'default').catch((reason: unknown) => reason);
    expect(toApiProblem(error, 'r1')).toMatchObject({
      code: 'not_ready',
      message: expect.stringContaining('MCP server odd'),
    });
    await writeFile(program, good);
    expect((await listing.withListedTools(agent, 'default')).settings!.mcp!.servers['odd']!.tools).toHaveLength(7);
  });

  it('that arrive late name their server, and are available for the next submission', async () => {
    const hard = fixture.replace('odd-server', 'hard-server');
    const warnings: string[] = [];
    const listing = new ToolListing([], { sandbox, waitMs: 20, onWarning: (text) => warnings.push(text) });
    const servers = {
      slow: { command: process.execPath, args: [hard, '200', '300'] },
    };
    const settings = { mcp: { servers } };
    const agent = agentDefinitionSchema.parse({ name: 'a', displayName: 'A', tools: {}, settings });
    const error = await listing.withListedTools(agent, 'default').catch((thrown: unknown) => thrown);
    expect(toApiProblem(error, 'r')).toMatchObject({
      code: 'not_ready',
      message: expect.stringMatching(/^The MCP server slow has not listed its tools/),
    });
    await expect.poll(() => warnings).toHaveLength(1);
    expect((await listing.withListedTools(agent, 'default')).settings!.mcp!.servers['slow']!.tools).toHaveLength(128);
    expect(warnings[0]).toMatch(
      /agent a: the MCP server slow has 207 tools, and the first 128 are offered\. Omitted: tool_121, /,
    );
  });
});
