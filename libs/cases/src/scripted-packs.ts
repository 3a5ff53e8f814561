import { ToolError } from '@phaseline/contracts';
import { inlinePacks } from '@phaseline/inline-packs';
import { packSpecs } from '@phaseline/pack-specs';
import type { Tool, ToolPack } from '@phaseline/tools';
import type { ScriptedResult } from './case-schema.js';

/**
 * The packs of a case: tools that run in workers are the real ones, because they only read the log and the files. All others return the results
 * that the case contains, in order.
 */
export function buildPacks(results: Readonly<Record<string, readonly ScriptedResult[]>>): readonly ToolPack[] {
  const calls = new Map<string, number>();
  const takeNext = (name: string): ScriptedResult => {
    const before = calls.get(name) ?? 0;
    calls.set(name, before + 1);
    const result = results[name]?.[before];
    if (result) return result;
    const held = results[name]?.length ?? 0;
    throw new ToolError(
      'not_in_case',
      held === 0
        ? `the case has no result of ${name}`
        : `the case has ${held} results of ${name}, and this is another call`,
    );
  };
  return packSpecs.map((spec): ToolPack => {
    const inline = inlinePacks.find(({ name }) => name === spec.name);
    if (inline) return inline;
    return {
      name: spec.name,
      tools: spec.tools.map((tool) => ({ ...tool, run: async () => toOutcome(takeNext(tool.name)) }) as Tool),
    };
  });
}

function toOutcome({ content = '', result, files = {}, failed }: ScriptedResult) {
  if (failed) throw new ToolError(failed.code, failed.message);
  const changes = Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }));
  return { content, ...(result ? { result } : {}), files: changes };
}
