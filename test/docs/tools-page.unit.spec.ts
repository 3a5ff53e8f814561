import { readFile } from 'node:fs/promises';
import { agentDefinitionSchema } from '@phaseline/domain';
import { ToolRegistry, type Tool, type ToolPack } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { executedPacks } from '../../apps/tool-runner/src/executed-packs.js';
import { toolRunnerConfig } from '../../apps/tool-runner/src/tool-runner-config.js';
import { offeredPacks } from '../../libs/phase-worker/src/offered-packs.js';

const PAGE = '../../docs/tools.md';
const BEGIN = '<!-- generated: npx vitest run test/docs -u -->';
const END = '<!-- end of what is generated -->';

const page = (): Promise<string> => readFile(new URL(PAGE, import.meta.url), 'utf8');

/** Where a tool belongs in an agent's `tools`: planning tools by the schema's own defaults, the pack of files anywhere. */
function kindsOf(tool: Tool, pack: ToolPack): string {
  const { strategic, tactical } = agentDefinitionSchema.parse({ name: 'a', displayName: 'A', tools: {} }).tools;
  if (['workspace', 'memory', 'discovery', 'skills'].includes(pack.name)) return 'both';
  const kinds = [
    ...(strategic.includes(tool.name) ? ['strategic'] : []),
    ...(tactical.includes(tool.name) ? ['tactical'] : []),
  ];
  return kinds.length === 2 ? 'both' : (kinds[0] ?? (pack.name === 'todos' ? 'both' : 'tactical'));
}

function row(tool: Tool, pack: ToolPack): string {
  const effect = tool.lane === 'runner' ? tool.effect : 'pure';
  const mayDiffer = tool.lane === 'runner' && tool.adjust ? ', or as the agent says' : '';
  const seconds = tool.lane === 'runner' ? `${tool.timeoutMs / 1_000} s` : '–';
  const words = tool.description.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return `| \`${tool.name}\` | ${pack.name} | \`${tool.lane}\` | ${effect}${mayDiffer} | ${kindsOf(tool, pack)} | ${seconds} | ${words} |`;
}

function table(packs: readonly ToolPack[]): string {
  const rows = packs.flatMap((pack) => pack.tools.map((tool) => row(tool, pack)));
  return [
    '| tool | pack | lane | effect | phases | time | what the model is told |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

describe('the page of tools', () => {
  it('has the table that the packs make', async () => {
    const text = await page();
    const [before, rest = ''] = text.split(BEGIN);
    const [, after] = rest.split(END);
    expect(after).toBeDefined();
    await expect(`${before}${BEGIN}\n\n${table(offeredPacks)}\n\n${END}${after}`).toMatchFileSnapshot(PAGE);
  });

  it('has a section for every pack', async () => {
    const headings = new Set((await page()).match(/^## .*$/gm));
    for (const { name } of offeredPacks) expect(headings).toContain(`## ${name}`);
  });
});

describe('the packs of the services', () => {
  it('load together, and each alone', () => {
    expect(() => new ToolRegistry(offeredPacks)).not.toThrow();
    for (const pack of offeredPacks) expect(() => new ToolRegistry([pack])).not.toThrow();
  });

  it('are executed by tool-runner wherever workers offer a tool for it', async () => {
    const config = toolRunnerConfig.parse({ DATABASE_URL: 'postgresql://app@127.0.0.1/x' });
    const { packs, close } = executedPacks(config);
    const executed = new ToolRegistry(packs);
    for (const tool of offeredPacks.flatMap((pack) => pack.tools)) {
      if (tool.lane === 'runner') expect([tool.name, executed.get(tool.name)?.lane]).toEqual([tool.name, 'runner']);
    }
    expect(offeredPacks.filter((pack) => pack.dynamic).map((pack) => pack.name)).toEqual(
      packs.filter((pack) => pack.dynamic).map((pack) => pack.name),
    );
    await close();
  });

  it('give every tool an object to take, a bound on its time and a sentence for the model', () => {
    const registry = new ToolRegistry(offeredPacks);
    for (const name of registry.names()) {
      const { definition, timeoutMs } = registry.find(name)!;
      expect(name).toMatch(/^[a-z][a-z0-9_]{2,63}$/);
      expect(definition.parameters).toMatchObject({ type: 'object' });
      expect(timeoutMs).toBeGreaterThan(0);
      expect(definition.description).toMatch(/^[A-Z][\s\S]{20,}\.$/);
    }
  });
});
