import type { DeclaredPack, DeclaredTools } from '@phaseline/contracts';
import type { z } from 'zod';
import type { InlineToolContext, InlineToolOutcome, RemoteToolContext, Tool, ToolOutcome, ToolPack } from './tool.js';

type Run<Declared> = Declared extends { readonly lane: 'remote'; readonly input: z.ZodType<infer Input> }
  ? (context: RemoteToolContext, input: Input) => Promise<ToolOutcome>
  : Declared extends { readonly lane: 'inline'; readonly input: z.ZodType<infer Input> }
    ? (context: InlineToolContext, input: Input) => Promise<InlineToolOutcome>
    : never;

/** A function that runs a declared tool. Its context and outcome follow from the tool's lane, its input from the schema. */
export type ToolRun<Pack extends DeclaredPack, Name extends keyof Pack['byName']> = Run<Pack['byName'][Name]>;

/** Input of a declared tool, as its schema returns it. */
export type ToolInput<Pack extends DeclaredPack, Name extends keyof Pack['byName']> = z.output<
  Pack['byName'][Name]['input']
>;

/**
 * Joins the declarations of a pack with the functions that run its tools. Every tool needs one that fits its schema.
 *
 * @example
 * export const skillsPack = implementPack(skillsSpec, { read_skill: readSkill });
 */
export function implementPack<Tools extends DeclaredTools>(
  pack: DeclaredPack<Tools>,
  runs: { readonly [Name in keyof Tools]: Run<Tools[Name]> },
): ToolPack {
  return {
    name: pack.name,
    tools: pack.tools.map((tool) => ({ ...tool, run: runs[tool.name] }) as Tool),
  };
}
