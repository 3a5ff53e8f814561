import { readFile } from 'node:fs/promises';
import { agentDefinitionSchema } from '@phaseline/domain';
import { ToolRegistry, type Tool, type ToolPack } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { createExecutedPacks } from '../../apps/tool-runner/src/executed-packs.js';
import { toolRunnerConfig } from '../../apps/tool-runner/src/tool-runner-config.js';
import { offeredPacks } from '@phaseline/workers/packs';

const PAGE = '../../docs/reference/tools.md';
const BEGIN = '<!-- generated: npx vitest run test/docs -u -->';
const END = '<!-- end of the generated section -->';

const readPage = (): Promise<string> => readFile(new URL(PAGE, import.meta.url), 'utf8');

/** Returns the kinds of phases for which an agent may list a tool: planning tools by the defaults of the schema, file tools in both. */
function kindsOf(tool: Tool, pack: ToolPack): string {
  const { strategic, tactical } = agentDefinitionSchema.parse({ name: 'a', displayName: 'A', tools: {} }).tools;
  if (['workspace', 'memory', 'discovery', 'skills'].includes(pack.name)) return 'both';
  const kinds = [
    ...(strategic.includes(tool.name) ? ['strategic'] : []),
    ...(tactical.includes(tool.name) ? ['tactical'] : []),
  ];
  return kinds.length === 2 ? 'both' : (kinds[0] ?? (pack.name === 'todos' ? 'both' : 'tactical'));
}

function renderRow(tool: Tool, pack: ToolPack): string {
  const effect = tool.lane === 'runner' ? tool.effect : 'pure';
  const mayDiffer = tool.lane === 'runner' && tool.adjust ? ', or as the agent says' : '';
  const seconds = tool.lane === 'runner' ? `${tool.timeoutMs / 1_000} s` : '–';
  const description = tool.description.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return `| \`${tool.name}\` | ${pack.name} | \`${tool.lane}\` | ${effect}${mayDiffer} | ${kindsOf(tool, pack)} | ${seconds} | ${description} |`;
}

function renderTable(packs: readonly ToolPack[]): string {
  const rows = packs.flatMap((pack) => pack.tools.map((tool) => renderRow(tool, pack)));
  return [
    '| tool | pack | lane | effect | phases | time limit | description for the model |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

describe('the tools page', () => {
  it('contains the table generated from the packs', async () => {
    const text = await readPage();
    const [before, rest = ''] = text.split(BEGIN);
    const [, after] = rest.split(END);
    expect(after).toBeDefined();
    await expect(`${before}${BEGIN}\n\n${renderTable(offeredPacks)}\n\n${END}${after}`).toMatchFileSnapshot(PAGE);
  });

  it('has a section for every pack', async () => {
    const headings = new Set((await readPage()).match(/^## .*$/gm));
    for (const { name } of offeredPacks) expect(headings).toContain(`## ${name}`);
  });
});

describe('the packs of the services', () => {
  it('load together, and each alone', () => {
    expect(() => new ToolRegistry(offeredPacks)).not.toThrow();
    for (const pack of offeredPacks) expect(() => new ToolRegistry([pack])).not.toThrow();
  });

  it('are executed by the tool-runner for every runner tool that workers offer', async () => {
    const config = toolRunnerConfig.parse({ DATABASE_URL: 'postgresql://app@127.0.0.1/x' });
    const { packs, close } = createExecutedPacks(config);
    const executed = new ToolRegistry(packs);
    for (const tool of offeredPacks.flatMap((pack) => pack.tools)) {
      if (tool.lane === 'runner') expect([tool.name, executed.get(tool.name)?.lane]).toEqual([tool.name, 'runner']);
    }
    expect(offeredPacks.filter((pack) => pack.dynamic).map((pack) => pack.name)).toEqual(
      packs.filter((pack) => pack.dynamic).map((pack) => pack.name),
    );
    await close();
  });

  it('give every tool an object schema, a time limit and a description for the model', () => {
    const registry = new ToolRegistry(offeredPacks);
    for (const name of registry.listNames()) {
      const { definition, timeoutMs } = registry.find(name)!;
      expect(name).toMatch(/^[a-z][a-z0-9_]{2,63}$/);
      expect(definition.parameters).toMatchObject({ type: 'object' });
      expect(timeoutMs).toBeGreaterThan(0);
      expect(definition.description).toMatch(/^[A-Z][\s\S]{20,}\.$/);
    }
  });
});
