import { Sandbox } from '@phaseline/sandbox';
import { readFile } from 'node:fs/promises';
import { ToolRegistry, type PackHost } from '@phaseline/tools';
import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { createExecutedPacks } from '../../apps/tool-runner/src/executed-packs.js';
import { toolRunnerConfig } from '../../apps/tool-runner/src/tool-runner-config.js';
import type { PackSpec, ToolDeclaration } from '@phaseline/contracts';
import { inlinePacks } from '@phaseline/inline-packs';
import { packSpecs } from '@phaseline/pack-specs';

const PAGE = '../../docs/reference/tools.md';
const BEGIN = '<!-- generated: npx vitest run test/docs -u -->';
const END = '<!-- end of the generated section -->';

const readPage = (): Promise<string> => readFile(new URL(PAGE, import.meta.url), 'utf8');

/** Returns the kinds of phases that a tool is meant for. */
function kindsOf({ traits = [] }: ToolDeclaration): string {
  if (traits.includes('strategic_only')) return 'strategic';
  return traits.includes('tactical_only') ? 'tactical' : 'both';
}

function renderRow(tool: ToolDeclaration, pack: PackSpec): string {
  const effect = tool.lane === 'remote' ? tool.effect : 'pure';
  const mayDiffer = tool.lane === 'remote' && tool.adjust ? ', or as the agent says' : '';
  const seconds = tool.lane === 'remote' ? `${tool.timeoutMs / 1_000} s` : '–';
  const description = tool.description.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return `| \`${tool.name}\` | ${pack.name} | \`${tool.lane}\` | ${effect}${mayDiffer} | ${kindsOf(tool)} | ${seconds} | ${description} |`;
}

function renderTable(packs: readonly PackSpec[]): string {
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
    await expect(`${before}${BEGIN}\n\n${renderTable(packSpecs)}\n\n${END}${after}`).toMatchFileSnapshot(PAGE);
  });

  it('has a section for every pack', async () => {
    const headings = new Set((await readPage()).match(/^## .*$/gm));
    for (const { name } of packSpecs) expect(headings).toContain(`## ${name}`);
  });
});

describe('the packs of the services', () => {
  it('load together, and each alone', () => {
    expect(() => new ToolRegistry(packSpecs)).not.toThrow();
    for (const pack of packSpecs) expect(() => new ToolRegistry([pack])).not.toThrow();
  });

  it('run each tool either in the workers or in the tool-runner', async () => {
    const config = toolRunnerConfig.parse({ DATABASE_URL: 'postgresql://app@127.0.0.1/x' });
    const { packs, close } = createExecutedPacks(config, {} as PackHost<Pool>, new Sandbox({ mode: 'auto' }), {
      pullRequests: {} as never,
      findPlanOwner: () => Promise.reject(new Error('not called')),
      readVerifier: () => Promise.reject(new Error('not called')),
      guards: { readPhase: () => Promise.reject(new Error('not called')), listMessages: () => [] },
      work: { readNeed: () => Promise.resolve('unknown'), onSwept: () => undefined },
      onProblem: () => undefined,
    });
    const executed = new ToolRegistry(packs);
    const inline = new ToolRegistry(inlinePacks);
    for (const { name, lane } of packSpecs.flatMap(({ tools }) => tools)) {
      expect([name, executed.get(name)?.lane]).toEqual([name, lane === 'remote' ? 'remote' : undefined]);
      expect([name, inline.get(name)?.lane]).toEqual([name, lane === 'inline' ? 'inline' : undefined]);
    }
    expect(packSpecs.filter((pack) => pack.dynamic).map((pack) => pack.name)).toEqual(
      packs.filter((pack) => pack.dynamic).map((pack) => pack.name),
    );
    await close();
  });

  it('give every tool an object schema, a time limit and a description for the model', () => {
    const registry = new ToolRegistry(packSpecs);
    for (const name of registry.listNames()) {
      const { definition, timeoutMs } = registry.find(name)!;
      expect(name).toMatch(/^[a-z][a-z0-9_]{2,63}$/);
      expect(definition.parameters).toMatchObject({ type: 'object' });
      expect(timeoutMs).toBeGreaterThan(0);
      expect(definition.description).toMatch(/^[A-Z][\s\S]{20,}\.$/);
    }
  });
});
